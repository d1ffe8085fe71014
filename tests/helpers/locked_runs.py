"""Training runs that another process is training."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from filelock import FileLock

TIMEOUT = 120


@contextmanager
def lock_until(lock: Path, file: str) -> Iterator[set[str]]:
    """
    Hold a lock, as another process does, until there is a file of this name beside it. Return the
    names of the archives that are there then.
    """
    locked, ended = Event(), Event()
    archives: set[str] = set()

    def hold() -> None:
        with FileLock(lock):
            locked.set()
            end = time.monotonic() + TIMEOUT
            while not (ended.is_set() or any(lock.parent.glob(file)) or time.monotonic() > end):
                time.sleep(0.05)
            archives.update(path.name for path in lock.parent.glob("*.tar.gz"))

    thread = Thread(target=hold)
    thread.start()
    assert locked.wait(TIMEOUT)
    try:
        yield archives
    finally:
        ended.set()
        thread.join()
