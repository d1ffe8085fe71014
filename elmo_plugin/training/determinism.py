"""Algorithms that give the same result each time."""

import os

import torch


def use_deterministic_algorithms(device: torch.device) -> None:
    """
    Have torch choose deterministic algorithms on a GPU, where some of the faster ones add up in an
    order that changes, and warn of operations without one. On the CPU, all operations of this
    package are deterministic.
    """
    if device.type != "cuda":
        return
    # cuBLAS reads it when it is first used.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False  # it may choose other algorithms in each process
    # Nothing here reads memory before it is written.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
