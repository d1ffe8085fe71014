"""Matrix products by oneDNN, in float32 faster than `torch.mm` (MKL) on AMD processors."""

from __future__ import annotations

import platform

import torch

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
def packed(weight: torch.Tensor) -> list[torch.Tensor]:
    """
    Return matrices in the order in which oneDNN reads them, for `matmul`.

    # Parameters

    weight : `torch.Tensor`
        Matrices of shape (matrices, in, out), or the weight of a linear layer, of shape (out, in).
        Must be one that `can_multiply` takes.
    """
    weights = weight.mT if weight.dim() == 3 else weight.unsqueeze(0)
    return [torch.ops.mkldnn._reorder_linear_weight(w.detach()) for w in weights]


def matmul(
    left: torch.Tensor, right: torch.Tensor, addend: torch.Tensor | None = None
) -> torch.Tensor:
    """
    Compute `left @ right`, plus `addend` if there is one, without a gradient. With a packed matrix,
    a row of the result does not depend on the other rows.

    # Parameters

    left : `torch.Tensor`
        Shape (rows, in).
    right : `torch.Tensor`
        One of `packed`, or of shape (in, out).
    addend : `torch.Tensor`, optional (default = `None`)
        Shape (rows, out).
    """
    if right.is_mkldnn:
        if len(left) == 1:  # a single row would be summed in another order
            both = None if addend is None else addend.expand(2, -1)
            return _multiply(left.expand(2, -1), right, both)[:1]
        if addend is None and len(left) > _ROW_BLOCK:
            return _multiply(_padded(left), right, None)[: len(left)]
        return _multiply(left, right, addend)
    if len(left) >= _MIN_ROWS and right.dtype == torch.float32 and can_multiply(right):
        return _multiply(left, right.T, addend)
    return torch.mm(left, right) if addend is None else torch.addmm(addend, left, right)


def _padded(left: torch.Tensor) -> torch.Tensor:
    missing = -len(left) % (_ROW_BLOCK // 2)
    return torch.nn.functional.pad(left, (0, 0, 0, missing)) if missing else left


def _multiply(
    left: torch.Tensor, weight: torch.Tensor, addend: torch.Tensor | None
) -> torch.Tensor:
    if addend is None:
        return torch.ops.mkldnn._linear_pointwise(left, weight, None, "none", [], "")
    return torch.ops.mkldnn._linear_pointwise.binary(left, addend, weight, None, "add")
