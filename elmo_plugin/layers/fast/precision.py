"""Matrix products of lower precision, accumulated in the type of the weights."""

from __future__ import annotations

import torch

from elmo_plugin.layers.lstm import LstmWeights


def _has_bfloat16() -> bool:
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return supported is not None and supported()


_HAS_BFLOAT16 = _has_bfloat16()


def supports_matmul(dtype: torch.dtype, device: torch.device) -> bool:
    """
    Return whether a device multiplies matrices of a type. oneDNN takes bfloat16 on CPUs with
    AVX-512 or AVX-NE-CONVERT, and emulates it without AVX512-BF16 and AMX. On other CPUs it refuses
    it, and PyTorch's own products take many times as long as in float32.
    """
    return dtype != torch.bfloat16 or device.type != "cpu" or _HAS_BFLOAT16


def in_precision(weights: LstmWeights, precision: torch.dtype | None) -> LstmWeights:
    """Convert the matrices, not the bias, to `precision`; unchanged if `None`."""
    if precision is None:
        return weights
    return LstmWeights(
        weights.input.to(precision),
        weights.recurrent.to(precision),
        weights.bias,
        weights.projection.to(precision),
    )


def clip_in_type(clip: float | None, dtype: torch.dtype) -> float | None:
    """Round the bound of a clip: a clipped value must equal it, or its gradient would pass."""
    return None if clip is None else float(torch.tensor(clip, dtype=dtype))


def product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Multiply in the type of `right`, accumulating in float32; return the type of `left`."""
    return torch.bmm(left.to(right.dtype), right).to(left.dtype)
