"""Distributed trainings."""

from __future__ import annotations

from typing import Any

from allennlp.common.util import find_open_port

TWO_PROCESSES = {"distributed": {"cuda_devices": [-1, -1]}, "data_loader.prefetch": 0}


def two_machines() -> dict[str, Any]:
    """Changes for a process on each of two machines, which are both this one."""
    address = {"primary_address": "127.0.0.1", "primary_port": find_open_port()}
    machines = {"num_nodes": 2, "cuda_devices": [-1], **address}
    return {"distributed": machines, "data_loader.prefetch": 0}
