"""Files of finished blocks, from which an interrupted run resumes."""

from __future__ import annotations

import json
import re
import secrets
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy

from elmo_plugin.common.disk_errors import disk_errors

_SUFFIX = ".part"
_TEMPORARY = ".tmp"
_OWN = re.compile(r"\d{5,}-\d{7,}(\.part|\.[0-9a-f]{16}\.tmp)")
_CHECKSUM_BYTES = 4


class Part(NamedTuple):
    """A block's sentences with their vectors."""

    name: str
    """See `Block.name`."""
    start: int
    """Number of the first sentence in its file, from 0."""
    tokens: list[list[str]]
    keys: numpy.ndarray
    """Hash of what the biLM read of each sentence, see `sentence_keys`. Shape (sentences, 16)."""
    vectors: numpy.ndarray
    """Shape (words, ..., dim); if pooled (sentences, ..., dim)."""
    digest: str
    """Hash of the block, see `Block.digest`."""

    def ends(self, pooled: bool) -> list[int]:
        """Return the row of `vectors` after each sentence's last."""
        lengths = [1 if pooled else len(tokens) for tokens in self.tokens]
        return numpy.cumsum(lengths, dtype=numpy.int64).tolist()


class PartStore:
    """
    A directory of parts by name. Each file is a checksum (CRC-32), a line of JSON, and the content
    of the arrays. Files are not synced to disk: after a power failure, damaged parts
    are computed again.

    # Parameters

    directory : `Path`
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, part: Part) -> None:
        """Write a part, or replace it."""
        temporary = self.directory / f"{part.name}.{secrets.token_hex(8)}{_TEMPORARY}"
        content = _encode(part)
        with disk_errors(self.directory), temporary.open("wb") as file:
            file.write(_checksum(*content))
            file.writelines(content)
        temporary.replace(self._path(part.name))

    def has(self, name: str, digest: str) -> bool:
        """
        Return True if there is a whole part, made of this text.

        # Raises

        `ValueError` : it was made of another text.
        """
        try:
            found = self.read(name).digest
        except (FileNotFoundError, ValueError):
            return False
        if found != digest:
            raise ValueError(
                f"{self._path(name)}: expected the text that the interrupted run read, found that "
                f"it has changed; to start anew, delete {self.directory}"
            )
        return True

    def read(self, name: str) -> Part:
        """
        Read the part of a block.

        # Raises

        `ValueError` : a damaged file.
        """
        path = self._path(name)
        with path.open("rb") as file:
            checksum, line, arrays = file.read(_CHECKSUM_BYTES), file.readline(), file.read()
        if checksum != _checksum(line, arrays):
            raise ValueError(f"{path}: expected a part of the result, found a damaged file")
        return _decode(line, arrays)

    def is_empty(self) -> bool:
        """Return True if no part has been written."""
        return not any(self.directory.glob(f"*{_SUFFIX}"))

    def clear(self) -> None:
        """Remove all parts."""
        for file in self.directory.glob(f"*{_SUFFIX}"):
            file.unlink()

    def other_files(self) -> set[str]:
        """Return the names of the directory's files that are neither parts nor temporary."""
        names = {file.name for file in self.directory.iterdir()}
        return {name for name in names if not _OWN.fullmatch(name)}

    def remove_leftovers(self) -> None:
        """Remove the files of writes that were killed."""
        for leftover in self.directory.glob(f"*{_TEMPORARY}"):
            leftover.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}{_SUFFIX}"


def _encode(part: Part) -> tuple[bytes, bytes, bytes]:
    arrays = [(array.dtype.str, array.shape) for array in (part.keys, part.vectors)]
    line = json.dumps([part.name, part.start, part.tokens, part.digest, arrays])
    return f"{line}\n".encode(), part.keys.tobytes(), part.vectors.tobytes()


def _decode(line: bytes, content: bytes) -> Part:
    name, start, tokens, digest, ((keys_type, keys_shape), (dtype, shape)) = json.loads(line)
    # Writers keep the keys: a view would keep the vectors too.
    keys = numpy.ndarray(keys_shape, keys_type, content).copy()
    vectors: numpy.ndarray = numpy.ndarray(shape, dtype, content, keys.nbytes)
    return Part(name, start, tokens, keys, vectors, digest)


def _checksum(*content: bytes) -> bytes:
    checksum = 0
    for part in content:
        checksum = zlib.crc32(part, checksum)
    return checksum.to_bytes(_CHECKSUM_BYTES, "little")
