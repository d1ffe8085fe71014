"""Processes of one group, and distributed trainings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from allennlp.common.util import find_open_port
from torch import distributed
from torch.multiprocessing import start_processes

TWO_PROCESSES = {"distributed": {"cuda_devices": [-1, -1]}, "data_loader.prefetch": 0}


def two_machines() -> dict[str, Any]:
    """Changes for a process on each of two machines, which are both this one."""
    address = {"primary_address": "127.0.0.1", "primary_port": find_open_port()}
    machines = {"num_nodes": 2, "cuda_devices": [-1], **address}
    return {"distributed": machines, "data_loader.prefetch": 0}


fork = partial(start_processes, start_method="fork")


def run_in_group_of_two(run: Callable[[int], None], folder: Path) -> None:
    """Call a function with each process's rank; raise the error of the first that fails."""
    fork(_join_group, (run, f"file://{folder}/meeting_point"), nprocs=2)


def _join_group(rank: int, run: Callable[[int], None], meeting_point: str) -> None:
    distributed.init_process_group("gloo", meeting_point, rank=rank, world_size=2)
    run(rank)
    # The other may still need this one.
    distributed.barrier()
    distributed.destroy_process_group()


def fork_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the processes of trainings as copies of this one, which need not import AllenNLP."""
    monkeypatch.setattr("allennlp.commands.train.mp.spawn", fork)
