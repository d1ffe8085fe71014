"""Matrix products of both directions of an LSTM layer."""

from __future__ import annotations

import torch

# Elements of a direction's matrix. Below, starting two products takes longer than they gain.
_LARGE_MATRIX = 2**20


def multiply(left: torch.Tensor, right: torch.Tensor, out: torch.Tensor) -> None:
    """
    Write `left @ right` of each direction to `out`.

    On GPUs, one product of large float32 matrices for each direction takes less time than a batch
    of two. Likely, cuBLAS divides long sums among processors only in single products.

    # Parameters

    left : `torch.Tensor`
        Shape (2, rows, in).
    right : `torch.Tensor`
        Shape (2, in, out).
    out : `torch.Tensor`
        Shape (2, rows, out).
    """
    is_large = right[0].numel() >= _LARGE_MATRIX
    if right.is_cuda and right.dtype == torch.float32 and is_large:
        for direction in range(2):
            torch.mm(left[direction], right[direction], out=out[direction])
    else:
        torch.bmm(left, right, out=out)
