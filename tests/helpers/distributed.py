"""Distributed trainings."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from allennlp.common.util import find_open_port
from torch.multiprocessing import start_processes

TWO_PROCESSES = {"distributed": {"cuda_devices": [-1, -1]}, "data_loader.prefetch": 0}


def two_machines() -> dict[str, Any]:
    """Changes for a process on each of two machines, which are both this one."""
    address = {"primary_address": "127.0.0.1", "primary_port": find_open_port()}
    machines = {"num_nodes": 2, "cuda_devices": [-1], **address}
    return {"distributed": machines, "data_loader.prefetch": 0}


fork = partial(start_processes, start_method="fork")


def fork_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the processes of trainings as copies of this one, which need not import AllenNLP."""
    monkeypatch.setattr("allennlp.commands.train.mp.spawn", fork)
