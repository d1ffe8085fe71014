"""Exact nearest neighbors by cosine similarity (section 5.3, Table 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy

_ROWS_AT_ONCE = 1 << 16
_TINY = 1e-12


class Neighbor(NamedTuple):
    """A row of the vectors, and its cosine similarity to the query."""

    row: int
    cosine: float


class Neighbors:
    """
    Exact search, in one pass over the vectors per query.

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
        Return the `number` nearest rows, or all if there are fewer, the nearest first. Of rows with
        equal cosine the first is nearer.

        # Raises

        `ValueError` : a vector of another size.
        """
        dim = self._vectors.shape[1]
        if vector.shape != (dim,):
            raise ValueError(f"expected a vector of shape ({dim},), got {vector.shape}")
        number = min(number, len(self))
        cosines = self._cosines(vector)
        smallest = numpy.partition(cosines, -number)[-number]
        candidates = numpy.flatnonzero(cosines >= smallest)
        order = numpy.argsort(-cosines[candidates], kind="stable")[:number]
        return [Neighbor(int(row), float(cosines[row])) for row in candidates[order]]

    def _cosines(self, vector: numpy.ndarray) -> numpy.ndarray:
        """Return the cosine of each row, zero for a vector of zeros. Shape (rows,)."""
        query = vector / max(float(numpy.linalg.norm(vector)), _TINY)
        cosines = numpy.empty(len(self), numpy.float32)
        for start in range(0, len(self), _ROWS_AT_ONCE):
            rows = self._vectors[start : start + _ROWS_AT_ONCE]
            norms = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))
            cosines[start : start + len(rows)] = rows @ query / numpy.maximum(norms, _TINY)
        return cosines
