"""Matrix products by oneDNN, in float32 faster than `torch.mm` (MKL) on AMD processors."""

from __future__ import annotations

import platform

import torch

from elmo_plugin.layers.fast.precision import supports_matmul
from elmo_plugin.layers.fast.weight_cache import cached_by_weights

# oneDNN keeps code for each number of rows: larger numbers are rounded up to half of this.
_ROW_BLOCK = 128
# With fewer rows, bringing a matrix into oneDNN's order takes longer than the product.
_MIN_ROWS = 4


def _has_onednn() -> bool:
    # The operations that torch.compile emits for the same purpose.
    needed = ("_linear_pointwise", "_reorder_linear_weight")
    return (
        platform.machine().lower() in ("x86_64", "amd64")
        # With older instructions, a row of a packed product may depend on the number of rows.
        and torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
        and torch.backends.mkldnn.is_available()
        and all(hasattr(torch.ops.mkldnn, name) for name in needed)
    )


_HAS_ONEDNN = _has_onednn()


def can_multiply(matrix: torch.Tensor) -> bool:
    """Return whether oneDNN takes this matrix."""
    return (
        _HAS_ONEDNN
        and matrix.device.type == "cpu"
        and matrix.dtype in (torch.float32, torch.bfloat16)
        and matrix.numel() > 0
    )


def can_pack(weight: torch.Tensor) -> bool:
    """Return whether `packed` takes this weight, and would keep the result."""
    return can_multiply(weight) and not weight.is_inference()


@cached_by_weights
def packed(weight: torch.Tensor) -> torch.Tensor:
    """
    Return the transpose of a linear layer's weight in the order in which oneDNN reads it, for
    `matmul`.

    # Parameters

    weight : `torch.Tensor`
        Must be one that `can_multiply` takes. Shape (out, in).
    """
    return torch.ops.mkldnn._reorder_linear_weight(_operand(weight.detach()))


def matmul(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """
    Compute `left @ right` without a gradient. With a packed matrix, a row of the result does not
    depend on the other rows.

    # Parameters

    left : `torch.Tensor`
        Shape (rows, in).
    right : `torch.Tensor`
        `packed`, or of shape (in, out).
    """
    if _operand(left) is not left:
        product = matmul(left.float(), right if right.is_mkldnn else right.float())
        return product.to(left.dtype)
    if right.is_mkldnn:
        if len(left) == 1:  # a single row would be summed in another order
            return _multiply(left.expand(2, -1), right)[:1]
        if len(left) > _ROW_BLOCK:
            return _multiply(_padded(left), right)[: len(left)]
        return _multiply(left, right)
    if len(left) >= _MIN_ROWS and right.dtype == torch.float32 and can_multiply(right):
        return _multiply(left, right.T)
    return torch.mm(left, right)


def _operand(matrix: torch.Tensor) -> torch.Tensor:
    """Return a matrix in a type in which the CPU multiplies it."""
    return matrix if supports_matmul(matrix.dtype, matrix.device) else matrix.float()


def _padded(left: torch.Tensor) -> torch.Tensor:
    missing = -len(left) % (_ROW_BLOCK // 2)
    return torch.nn.functional.pad(left, (0, 0, 0, missing)) if missing else left


def _multiply(left: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.ops.mkldnn._linear_pointwise(left, weight, None, "none", [], "")
