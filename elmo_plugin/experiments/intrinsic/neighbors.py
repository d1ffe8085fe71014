"""Which vectors of a corpus are nearest to a given one (section 5.3, Table 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy


class Neighbor(NamedTuple):
    row: int
    cosine: float


class Neighbors:
    """
    Exact search by cosine, with USearch.

    # Parameters

    vectors : `numpy.ndarray`
        float32, of any length. May be mapped from a file. Shape (rows, dim).
    """

    def __init__(self, vectors: numpy.ndarray) -> None:
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._vectors)

    def nearest(self, vector: numpy.ndarray, number: int) -> list[Neighbor]:
        """
        The `number` nearest rows, or all if there are fewer, nearest first.

        # Raises

        `ValueError` : a vector of another size.
        """
        from usearch.index import MetricKind, search

        dim = self._vectors.shape[1]
        if vector.shape != (dim,):
            raise ValueError(f"expected a vector of shape ({dim},), got {vector.shape}")
        number = min(number, len(self))
        found = search(self._vectors, vector, number, MetricKind.Cos, exact=True)
        return [Neighbor(int(row), 1 - float(far)) for row, far in zip(found.keys, found.distances)]
