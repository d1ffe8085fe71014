"""Independent parts of a computation, each in a thread of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Barrier
from typing import TypeVar

import numpy
import torch

Part = TypeVar("Part")
Result = TypeVar("Result")


def run_parts(
    function: Callable[[Part], Result], parts: Sequence[Part], small: bool = False
) -> list[Result]:
    """
    Apply a function to each part, without gradients, in up to `torch.get_num_threads()` threads.
    Each has an equal share of torch's threads. This is faster than splitting every operation, as
    the parts do not wait for each other. Small operations run one after the other on one thread:
    the interpreter's lock would change hands too often.
    """
    available = torch.get_num_threads()
    if available == 1 or len(parts) < 2:
        with torch.no_grad():
            return [function(part) for part in parts]
    threads = 1 if small else min(available, len(parts))
    pool = _pool(os.getpid(), threads, 1 if small else available // threads)
    return list(pool.map(lambda part: _without_gradients(function, part), parts))


def _without_gradients(function: Callable[[Part], Result], part: Part) -> Result:
    # Whether gradients are recorded is each thread's own setting.
    with torch.no_grad():
        return function(part)


@lru_cache(maxsize=4)
def _pool(process: int, threads: int, threads_of_each: int) -> ThreadPoolExecutor:
    """Return the process's pool; threads do not survive a fork."""
    started, total = Barrier(threads), torch.get_num_threads()

    def start() -> None:
        torch.get_num_threads()  # a thread's first use of torch would undo its setting
        torch.set_num_threads(threads_of_each)
        started.wait()

    pool = ThreadPoolExecutor(threads, "elmo_plugin", start)
    list(pool.map(lambda _: None, range(threads)))
    # A thread's own setting is also torch's default for threads that start later.
    torch.set_num_threads(total)
    return pool


def numpy_view(tensor: torch.Tensor) -> numpy.ndarray:
    """View a tensor as an array; bfloat16, which NumPy does not have, as its 16 bits."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(numpy.uint16)
    return tensor.numpy()
