"""Files of vectors, read like a list."""

from __future__ import annotations

import operator
import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, overload

import numpy
from typing_extensions import Self


class Vectors(Sequence[numpy.ndarray]):
    """
    The vectors of a text in a file: `vectors[i]` has those of line i, from 0, as an array of shape
    (tokens, dim), (tokens, layers, dim) or, if pooled, (dim,); `vectors[i:j]` is a list of them.
    Reads only the requested lines (Parquet: their row group). Close it, or use it in a `with`
    statement. Unpickling opens the file again.
    """

    path: str
    format: str
    """Name of the file's format, see `elmo embed --format`."""

    _closed = False

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _read(self, index: int) -> numpy.ndarray:
        """Return the vectors of a line from 0 to `len(self) - 1`."""

    def _read_tokens(self, index: int) -> list[str]:
        """Return the tokens of a line from 0 to `len(self) - 1`, see `tokens`."""
        raise ValueError(f"{self.path}: files of this format do not hold tokens")

    def tokens(self, index: int) -> list[str]:
        """
        Return the tokens of a line; negative indices count from the end.

        # Raises

        `ValueError` : files of this format do not hold them.
        `IndexError` : no such line.
        """
        self._check_open()
        return self._read_tokens(self._position(index))

    def close(self) -> None:
        """Close the file. Reading from it then raises a `ValueError`."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"{self.path}: expected an open file of vectors, found it closed")

    @overload
    def __getitem__(self, index: int) -> numpy.ndarray: ...

    @overload
    def __getitem__(self, index: slice) -> list[numpy.ndarray]: ...

    def __getitem__(self, index: Any) -> Any:
        self._check_open()
        if isinstance(index, slice):
            return [self._read(i) for i in range(*index.indices(len(self)))]
        return self._read(self._position(index))

    def __iter__(self) -> Iterator[numpy.ndarray]:
        return map(self.__getitem__, range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        self._check_open()
        return type(self), (os.path.abspath(self.path),)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _position(self, index: int) -> int:
        """Return an index from 0; negative ones count from the end."""
        index = operator.index(index)
        found = index + len(self) if index < 0 else index
        if not 0 <= found < len(self):
            limits = f"from {-len(self)} to {len(self) - 1}"
            raise IndexError(f"{self.path}: expected a line {limits}, got {index}")
        return found


def checked(vectors: numpy.ndarray, path: str, line: int) -> numpy.ndarray:
    """Return the vectors of a line, or raise a `ValueError` if they are not finite."""
    if not numpy.isfinite(vectors).all():
        raise ValueError(f"{path}: expected finite vectors of line {line}, found NaN or infinity")
    return vectors
