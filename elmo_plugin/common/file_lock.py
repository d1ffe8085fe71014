"""A lock that processes share."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def file_lock(path: Path, wait: bool = True) -> Iterator[bool]:
    """
    Hold a lock of the machine's processes. Its file exists while it is held; that of a killed
    process does not block others. On file systems without locks, nothing is locked.

    # Parameters

    path : `Path`
        The lock's file, which is created and removed.
    wait : `bool`, optional (default = `True`)
        Wait for another process that holds the lock.

    # Returns

    `Iterator[bool]` : true if this process holds the lock; always, with `wait`.
    """
    descriptor = _acquire(path, wait)
    if descriptor is None:
        yield False
        return
    try:
        yield True
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, wait: bool) -> int | None:
    """Return the descriptor of the locked file, or `None` if another process has it."""
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            return descriptor  # no locks on this file system
        if _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)  # removed by the process that held the lock


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
