"""Whether compiled loops can be used."""

from __future__ import annotations

from importlib.util import find_spec

import torch

_HAS_NUMBA = find_spec("numba") is not None


def is_compiled_for(*tensors: torch.Tensor) -> bool:
    """Say whether compiled code takes these tensors: float32, on the CPU, numba being installed."""
    return _HAS_NUMBA and all(
        t.device.type == "cpu" and t.dtype == torch.float32 for t in tensors
    )
