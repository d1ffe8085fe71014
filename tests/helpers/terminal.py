"""What a program writes to a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress


def read_terminal(leader: int) -> str:
    """Return what was written to the terminal of `leader`, whose other end is closed by now."""
    text = b"".join(_parts(leader)).decode()
    os.close(leader)
    return text


def _parts(leader: int) -> Iterator[bytes]:
    with suppress(OSError):  # at the end, on Linux
        while part := os.read(leader, 100_000):
            yield part
