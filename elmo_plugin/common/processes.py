"""Worker processes that end with their parent."""

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
