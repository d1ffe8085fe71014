"""Gzip files, by their content."""

from __future__ import annotations

from pathlib import Path

_START = b"\x1f\x8b"


def is_gzip(path: str | Path) -> bool:
    """Return True for a file that begins as gzip does."""
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_START)) == _START
