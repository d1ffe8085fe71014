"""A NumPy file with one vector per sentence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tokenize import TokenError
from typing import BinaryIO

import numpy

from elmo_plugin.common.atomic_write import atomic_write
from elmo_plugin.embedding.block_encoder import BlockEncoder
from elmo_plugin.embedding.parts import Part
from elmo_plugin.embedding.vectors import Vectors, checked

_ERRORS = (
    *(ValueError, EOFError, SyntaxError, TokenError, TypeError, OverflowError),
    *(LookupError, RecursionError, MemoryError),
)
"""Errors of NumPy about a header, which it parses as Python."""


def check(encoder: BlockEncoder) -> None:
    """Raise a `ValueError` without pooling: sentences of different lengths make no array."""
    if encoder.pooling is None:
        raise ValueError(
            "npy: expected pooling mean or max, for one vector per sentence, got none; the other "
            "formats hold a vector per token"
        )


def write(parts: Iterable[Part], out: Path, encoder: BlockEncoder) -> None:
    """Write an array of shape (sentences, ..., dim), see `embed_corpus`."""
    with atomic_write(out) as temporary, temporary.open("wb") as file:
        rows, start = 0, 0
        for part in parts:
            if not start:
                start = _write_header(file, part.vectors, rows)
            file.write(part.vectors.data)
            rows += len(part.vectors)
        # Now that the number of rows is known. NumPy leaves space for it.
        file.seek(0)
        if _write_header(file, part.vectors, rows) != start:
            raise ValueError(f"{out}: expected a header of {start} bytes for {rows} rows too")


def _write_header(file: BinaryIO, like: numpy.ndarray, rows: int) -> int:
    """Write the header of an array of so many rows, and return its size."""
    header = {"descr": like.dtype.str, "fortran_order": False, "shape": (rows, *like.shape[1:])}
    numpy.lib.format.write_array_header_1_0(file, header)
    return file.tell()


class NpyVectors(Vectors):
    """
    Reads NumPy files with a vector per sentence.

    # Parameters

    path : `str`

    # Raises

    `ValueError` : another kind of file.
    """

    format = "npy"

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._array: numpy.memmap = numpy.load(path, mmap_mode="r", allow_pickle=False)
        except _ERRORS as error:
            raise ValueError(f"{path}: expected a NumPy file, found: {error}") from error
        if self._array.ndim < 2 or self._array.dtype not in ("float32", "float16"):
            raise ValueError(
                f"{path}: expected float32 or float16 in 2 dimensions or more, found "
                f"{self._array.dtype} of shape {self._array.shape}"
            )

        size, expected = Path(path).stat().st_size, self._array.offset + self._array.nbytes
        if size != expected:
            raise ValueError(f"{path}: expected {expected} bytes, found {size}")
        self._length = len(self._array)

    def __len__(self) -> int:
        return self._length

    def _read(self, index: int) -> numpy.ndarray:
        return checked(numpy.array(self._array[index]), self.path, index)

    def close(self) -> None:
        if not self._closed:
            del self._array
        super().close()
