"""A NumPy file with one vector per sentence."""

from __future__ import annotations

from pathlib import Path

import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Parts
from elmo_plugin.embedding.vectors import Vectors


def check(encoder: BlockEncoder) -> None:
    """Raise a `ValueError` without pooling: sentences of different lengths make no array."""
    if encoder.pooling is None:
        raise ValueError(
            "npy: expected pooling mean or max, for one vector per sentence, got none; the other "
            "formats hold a vector per token"
        )


def write(parts: Parts, out: Path, encoder: BlockEncoder) -> None:
    """Write an array of shape (sentences, ..., dim), see `embed_corpus`."""
    first = next(iter(parts)).vectors
    shape = (parts.num_sentences, *first.shape[1:])
    with atomic_write(out) as temporary:
        array = numpy.lib.format.open_memmap(temporary, "w+", first.dtype, shape)
        start = 0
        for part in parts:
            array[start : start + len(part.vectors)] = part.vectors
            start += len(part.vectors)
        array.flush()


class NpyVectors(Vectors):
    """
    # Parameters

    path : `str`

    # Raises

    `ValueError` : another kind of file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._array = numpy.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{path}: expected a NumPy file, found: {error}") from error
        if self._array.ndim < 2 or self._array.dtype not in ("float32", "float16"):
            raise ValueError(
                f"{path}: expected float32 or float16 in 2 dimensions or more, found "
                f"{self._array.dtype} of shape {self._array.shape}"
            )

    def __len__(self) -> int:
        return len(self._array)

    def read(self, index: int) -> numpy.ndarray:
        return numpy.array(self._array[index])
