"""Launches the kernels of `fast.triton.kernels`."""

from __future__ import annotations

import math
from typing import Any

import torch

from elmo_plugin.layers.fast.cell import CellFunctions
from elmo_plugin.layers.fast.triton import kernels

# Columns that one program computes.
_BLOCK = 512


def _launcher(kernel: Any, dim_of: int) -> Any:
    """
    Return a function with the parameters of its namesake in `fast.cell`.

    # Parameters

    dim_of : `int`
        Position of a tensor whose last dimension is the number of columns.
    """

    def launch(*arguments: Any) -> None:
        *tensors, clip = arguments
        rows, dim = tensors[dim_of].shape[1:]
        grid = rows, 2, math.ceil(dim / _BLOCK)
        strides = [argument for t in tensors for argument in (t, _stride(t, rows))]
        # Triton launches on the current device, not on that of the tensors.
        with torch.cuda.device_of(tensors[0]):
            kernel[grid](*strides, math.inf if clip is None else clip, dim, block=_BLOCK)

    return launch


def _stride(tensor: torch.Tensor, rows: int) -> int:
    """Return the distance of the directions, whose rows must be adjacent."""
    directions, found, dim = tensor.shape
    adjacent = (rows == 1 or tensor.stride(1) == dim) and (dim == 1 or tensor.stride(2) == 1)
    if directions != 2 or found != rows or not adjacent:
        raise ValueError(
            f"expected both directions of {rows} adjacent rows, "
            f"got shape {tuple(tensor.shape)} with strides {tensor.stride()}"
        )
    return tensor.stride(0)


TRITON_CELL = CellFunctions(
    _launcher(kernels.cell_forward, 1),
    _launcher(kernels.hidden_backward, 0),
    _launcher(kernels.cell_backward, 0),
)
