"""Loops that numba compiles, for float32 on the CPU. Without numba, nothing here is imported."""

from __future__ import annotations

from importlib.util import find_spec

import torch

HAS_NUMBA = find_spec("numba") is not None


def can_compile(*tensors: torch.Tensor) -> bool:
    """Return whether the compiled layers take these tensors."""
    return HAS_NUMBA and all(
        tensor.device.type == "cpu" and tensor.dtype == torch.float32 for tensor in tensors
    )
