"""Independent parts of a computation, each in a thread of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from threading import Barrier
from typing import TypeVar

import numpy
import torch

from elmo_plugin.layers.torch_threads import torch_threads

Part = TypeVar("Part")
Result = TypeVar("Result")


def run_parts(function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """
    Apply a function to each part, without gradients, in up to `torch.get_num_threads()` threads,
    of which the calling one is the first. Each has an equal share of torch's threads. This is
    faster than splitting every operation, as the parts do not wait for each other.
    """
    available = torch.get_num_threads()
    threads = min(available, len(parts))
    results: dict[int, Result] = {}
    remaining = iter(range(len(parts)))

    def run_remaining() -> None:
        with torch.no_grad():  # whether gradients are recorded is each thread's own setting
            for part in remaining:
                results[part] = function(parts[part])

    if threads < 2:
        run_remaining()
    else:
        with torch_threads(available // threads):
            pool = _pool(os.getpid(), threads - 1, available // threads)
            others = [pool.submit(run_remaining) for _ in range(threads - 1)]
            try:
                run_remaining()
            finally:
                wait(others)
        for other in others:
            other.result()
    return [results[part] for part in range(len(parts))]


@lru_cache(maxsize=4)
def _pool(process: int, threads: int, threads_of_each: int) -> ThreadPoolExecutor:
    """Return the process's pool; threads do not survive a fork."""
    started = Barrier(threads)

    def start() -> None:
        torch.get_num_threads()  # a thread's first use of torch would undo its setting
        torch.set_num_threads(threads_of_each)
        started.wait()

    pool = ThreadPoolExecutor(threads, "elmo_plugin", start)
    list(pool.map(lambda _: None, range(threads)))
    return pool


def numpy_view(tensor: torch.Tensor) -> numpy.ndarray:
    """View a tensor as an array; bfloat16, which NumPy does not have, as its 16 bits."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(numpy.uint16)
    return tensor.numpy()
