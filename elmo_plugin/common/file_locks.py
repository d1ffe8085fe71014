"""Locks of files and directories, which end with the process."""

from __future__ import annotations

import fcntl
from contextlib import suppress


def try_lock(descriptor: int) -> bool:
    """Lock an open file or directory. Return False if another process holds its lock, and True also
    on file systems without locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # no locks on this file system
    return True


def unlock(descriptor: int) -> None:
    """Release a lock, even if forked processes still have the descriptor open."""
    with suppress(OSError):  # no locks on this file system
        fcntl.flock(descriptor, fcntl.LOCK_UN)
