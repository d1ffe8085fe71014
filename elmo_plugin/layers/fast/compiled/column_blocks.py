"""Rearranges a matrix into blocks of columns, the order in which compiled products read it."""

from __future__ import annotations

import torch

from elmo_plugin.layers.fast.compiled.kernels.matmul import BLOCK, CAN_PAIR


def column_blocks(matrix: torch.Tensor) -> torch.Tensor:
    """
    Return matrices as `multiply_add` reads them: in blocks of columns, padded with zeros. Where the
    processor multiplies pairs of bfloat16, the elements of two rows lie together.

    # Parameters

    matrix : `torch.Tensor`
        Shape (..., in, out).

    # Returns

    `torch.Tensor` : Shape (..., blocks, in, BLOCK), or (..., blocks, in / 2, BLOCK, 2).
    """
    padded = torch.nn.functional.pad(matrix, (0, -matrix.size(-1) % BLOCK))
    blocks = padded.unflatten(-1, (-1, BLOCK)).transpose(-3, -2)
    if matrix.dtype != torch.bfloat16 or not CAN_PAIR or matrix.size(-2) % 2:
        return blocks.contiguous()
    return blocks.unflatten(-2, (-1, 2)).transpose(-2, -1).contiguous()
