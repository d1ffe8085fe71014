"""Checks that no output replaces an input."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from elmo_plugin.weights.resolve import BUILT_IN, BUILT_IN_FOLDER, NAMES

_IN_DIRECTORIES = ("config.json", "meta.json", "metrics*.json", *NAMES)


def check_not_read(path: str | Path, read: Iterable[str | Path]) -> None:
    """
    Check that an output file is not one of the input files.

    # Parameters

    path : `str` or `Path`
        Output file.
    read : `Iterable[str]` or `Iterable[Path]`
        Input files, or globs, or "built-in"; missing ones are ignored. For a directory, its
        config.json, meta.json and metrics*.json, and the files that `elmo export` writes.

    # Raises

    `ValueError` : `path` is one of them, by any name.
    """
    for file in chain.from_iterable(map(_input_files, read)):
        if os.path.isfile(path) and os.path.isfile(file) and os.path.samefile(path, file):
            raise ValueError(
                f"{path}: expected an output file that is not also an input, got {file}"
            )


def _input_files(read: str | Path) -> Iterator[str]:
    """Yield the path, the matches of the glob, and the files in the directory."""
    path = str(BUILT_IN_FOLDER) if read == BUILT_IN else os.path.expanduser(read)
    yield path
    yield from glob.iglob(path, recursive=True)
    for name in _IN_DIRECTORIES:
        yield from glob.iglob(f"{glob.escape(path)}/{name}")
