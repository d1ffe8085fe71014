"""Exact nearest neighbors by cosine similarity (section 5.3, Table 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy

_TINY = 1e-12


class Neighbor(NamedTuple):
    """A row of the vectors, and its cosine similarity to the query."""

    row: int
    cosine: float


def nearest(vectors: numpy.ndarray, query: numpy.ndarray, number: int) -> list[Neighbor]:
    """
    Find the vectors nearest to a query. Of vectors with equal cosine, the first is nearer; the
    cosine with a vector of zeros is 0.

    # Parameters

    vectors : `numpy.ndarray`
        float32. May be mapped from a file. Shape (rows, dim).
    query : `numpy.ndarray`
        Shape (dim,).
    number : `int`
        Number of neighbors; all rows, if there are fewer.

    # Returns

    `List[Neighbor]` : the nearest first.

    # Raises

    `ValueError` : a query of another size.
    """
    dim = vectors.shape[1]
    if query.shape != (dim,):
        raise ValueError(f"expected a vector of shape ({dim},), got {query.shape}")
    norms = numpy.sqrt(numpy.einsum("ij,ij->i", vectors, vectors)) * numpy.linalg.norm(query)
    cosines = vectors @ query / numpy.maximum(norms, _TINY)
    rows = numpy.argsort(-cosines, kind="stable")[:number]
    return [Neighbor(int(row), float(cosines[row])) for row in rows]
