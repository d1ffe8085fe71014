"""Set up all tests: one thread, no checks of uncommitted code, short garbage collections."""

import gc
import os

import torch

# Small models gain nothing from more threads. The same holds for processes that tests start.
torch.set_num_threads(1)
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tables are not refused while the tests run on changes that are not committed yet.
os.environ["GIT_DIR"] = os.devnull


def pytest_collection_finish() -> None:
    """Keep all that was imported out of garbage collections, each of which would take seconds."""
    gc.collect()
    gc.freeze()
