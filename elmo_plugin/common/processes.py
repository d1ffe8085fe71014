"""Processes that end with the one that started them."""

import multiprocessing
import os
from threading import Thread


def end_with_parent() -> None:
    """
    From now on, this process ends when the one that started it does, however that ends and whatever
    this one waits for: unlike a signal, of which it may be told too late or that it may ignore.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "expected a process that multiprocessing started"

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()
