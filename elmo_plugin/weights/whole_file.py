"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """
    A temporary name beside `path` to write to; it becomes `path` when the block ends well, and is
    removed when it does not, with `path` as it was before.

    # Raises

    `FileNotFoundError` : no directory to write to.
    `ValueError` : a directory lies where the file should.
    """
    path = Path(path)
    # Known before the block starts, so that of two files neither is replaced without the other.
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: expected the directory {path.parent}, found none")
    if path.is_dir():
        raise ValueError(f"{path}: expected a file or nothing, found a directory")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
