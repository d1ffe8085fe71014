"""Read the output of a program from a pseudo-terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress


def read_terminal(leader: int) -> str:
    """Return all output of a pseudo-terminal whose other end is closed, and close it."""
    text = b"".join(_parts(leader)).decode()
    os.close(leader)
    return text


def _parts(leader: int) -> Iterator[bytes]:
    with suppress(OSError):  # at the end, on Linux
        while part := os.read(leader, 100_000):
            yield part
