"""Kernels that Triton compiles, for float32 on GPUs. Without Triton, nothing here is imported."""

from __future__ import annotations

from importlib.util import find_spec

import torch

HAS_TRITON = find_spec("triton") is not None


def can_fuse(matrix: torch.dtype, *tensors: torch.Tensor) -> bool:
    """
    Return whether the kernels take these tensors, and agree with torch's operations on this GPU.

    # Parameters

    matrix : `torch.dtype`
        Type of matrix operands.
    """
    fits = matrix in (torch.float32, torch.bfloat16, torch.float16) and all(
        t.device.type == "cuda" and t.dtype == torch.float32 for t in tensors
    )
    if not (HAS_TRITON and fits):
        return False
    from elmo_plugin.layers.fast.triton.check import agrees

    return agrees(tensors[0].device, matrix)
