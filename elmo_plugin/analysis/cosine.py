"""Vectors compared by their direction alone."""

from __future__ import annotations

import numpy


def unit(vectors: numpy.ndarray) -> numpy.ndarray:
    """Each row of length 1, so that products are cosines; a row of zeros stays."""
    lengths = numpy.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / numpy.where(lengths > 0, lengths, 1)
