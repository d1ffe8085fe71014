"""Times implementations that take turns."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import torch

Item = TypeVar("Item")


def take_turns(
    passes: Mapping[str, Callable[[], float]], rounds: int, label: str
) -> dict[str, list[float]]:
    """
    Run each pass once per round, and print what it returns, such as its seconds.

    # Returns

    `Dict[str, List[float]]` : what each pass returned, by round.
    """
    measured: dict[str, list[float]] = {name: [] for name in passes}
    for number in range(1, rounds + 1):
        for name, run in passes.items():
            measured[name].append(run())
            print(f"{label}, round {number}, {name}: {measured[name][-1]:.4g}", file=sys.stderr)
    return measured


def time_over(run: Callable[[Item], object], batches: Iterable[Item]) -> float:
    """Seconds of a call for each batch, until a GPU has finished."""
    _wait_for_gpu()
    start = time.perf_counter()
    for batch in batches:
        run(batch)
    _wait_for_gpu()
    return time.perf_counter() - start


def _wait_for_gpu() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
