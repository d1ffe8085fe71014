"""A linear layer on `matmul`, with its gradient."""

from __future__ import annotations

from typing import Any

import torch

from elmo_plugin.layers.fast.matmul import can_multiply, can_pack, matmul, packed


def linear(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """
    Compute `torch.nn.functional.linear` in the type of the weight; the result has the type of the
    inputs.
    """
    dtype = weight.dtype
    differentiable = any(t.requires_grad for t in (inputs, weight, bias))
    if torch.is_autocast_enabled(inputs.device.type) or not can_multiply(weight):
        outputs = torch.nn.functional.linear(inputs.to(dtype), weight, bias.to(dtype))
    elif differentiable and torch.is_grad_enabled():
        outputs = _Linear.apply(inputs.to(dtype), weight, bias.to(dtype))  # type: ignore[no-untyped-call]
    else:
        # Shape: (rows, in_features)
        rows = inputs.to(dtype).flatten(0, -2)
        matrix = packed(weight) if can_pack(weight) else weight.T
        outputs = matmul(rows, matrix).add_(bias).unflatten(0, inputs.shape[:-1])
    return outputs.to(inputs.dtype)


class _Linear(torch.autograd.Function):
    """`torch.nn.functional.linear` by `matmul`."""

    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        rows = inputs.flatten(0, -2)
        ctx.save_for_backward(rows, weight)
        return matmul(rows, weight.T).add_(bias).unflatten(0, inputs.shape[:-1])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        grads = grad.flatten(0, -2)
        for_inputs, for_weight, for_bias = ctx.needs_input_grad
        return (
            matmul(grads, weight).unflatten(0, grad.shape[:-1]) if for_inputs else None,
            matmul(grads.T, rows) if for_weight else None,
            grads.sum(0) if for_bias else None,
        )
