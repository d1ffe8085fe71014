"""Loops that numba compiles, for float32 on the CPU. Without numba, nothing here is imported."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.util import find_spec

import torch

COMPILED_PRECISIONS = (torch.float32, torch.bfloat16)
"""Types of matrix operands."""


@cache
def has_numba() -> bool:
    """Return whether numba is installed and compiles; warn if it cannot be imported."""
    if find_spec("numba") is None:
        return False
    try:
        import numba
    except (ImportError, ValueError) as error:  # such as a NumPy that is too new for it
        warnings.warn(f"numba is not used, as it cannot be imported: {error}", stacklevel=2)
        return False
    return not numba.config.DISABLE_JIT


def can_compile(*tensors: torch.Tensor) -> bool:
    """Return whether the compiled layers take these tensors."""
    fits = all(tensor.device.type == "cpu" and tensor.dtype == torch.float32 for tensor in tensors)
    return fits and has_numba()
