"""Worker processes."""

import multiprocessing
import os
from threading import Thread


def end_with_parent() -> None:
    """
    End this process as soon as its parent has ended, even if the parent was killed. A signal from
    the parent could come too late or be ignored.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "expected a process that multiprocessing started"

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
