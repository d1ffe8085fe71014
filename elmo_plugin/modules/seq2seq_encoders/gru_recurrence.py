"""The recurrence of a GRU in both directions, with a hand-written gradient, for CPUs."""

from __future__ import annotations

from typing import Any

import torch


def gru_recurrence(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """
    Run the steps of a GRU (Cho et al. 2014, as in `torch.nn.GRU`) in two directions at a time. Only
    what depends on the step before is computed step by step, forward and backward.

    # Parameters

    inputs : `torch.Tensor`
        The inputs' part of the gates r, z and n, with its bias, of padded sequences; those of the
        second direction are reversed. Shape (steps, 2, batch, 3 * hidden_size).
    weight : `torch.Tensor`
        `weight_hh` of each direction. Shape (2, 3 * hidden_size, hidden_size).
    bias : `torch.Tensor`
        `bias_hh` of each direction. Shape (2, 3 * hidden_size).

    # Returns

    `torch.Tensor` : the states, from a first one of zeros. Shape (steps, 2, batch, hidden_size).
    """
    with torch.autocast("cpu", enabled=False):
        return _GruRecurrence.apply(inputs, weight, bias)  # type: ignore[no-untyped-call]


class _GruRecurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        dim = weight.size(2)
        # Shape of all: (steps, 2, batch, dim), `gates` twice as wide
        gates = inputs.new_empty(*inputs.shape[:3], 2 * dim)
        products, candidates, states = inputs.new_empty(3, *inputs.shape[:3], dim)
        transposed, bias = weight.transpose(1, 2), bias.unsqueeze(1)
        state = inputs.new_zeros(states.shape[1:])
        for x, gate, product, n, h in zip(inputs, gates, products, candidates, states):
            sums = torch.baddbmm(bias, state, transposed)
            torch.add(x[..., : 2 * dim], sums[..., : 2 * dim], out=gate).sigmoid_()
            product.copy_(sums[..., 2 * dim :])
            r, z = gate[..., :dim], gate[..., dim:]
            torch.addcmul(x[..., 2 * dim :], r, product, out=n).tanh_()
            state = torch.lerp(n, state, z, out=h)
        ctx.save_for_backward(weight, gates, products, candidates, states)
        return states

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        weight, gates, products, n, states = ctx.saved_tensors
        r, z = gates.chunk(2, dim=-1)
        previous = torch.cat([torch.zeros_like(states[:1]), states[:-1]])
        # All gradients of a step are that of its state times these factors.
        of_n = (1 - z) * (1 - n * n)
        of_r = of_n * products * r * (1 - r)
        of_z = (previous - n) * z * (1 - z)
        # Shape: (steps, 2, batch, 3, dim)
        factors = torch.stack([of_r, of_z, of_n * r], dim=-2)
        grad_sums, grad_of_states = torch.empty_like(factors), torch.empty_like(states)
        later = states.new_zeros(states.shape[1:])
        for step in range(len(states) - 1, -1, -1):
            grad = torch.add(grad_states[step], later, out=grad_of_states[step])
            torch.mul(grad.unsqueeze(-2), factors[step], out=grad_sums[step])
            later = torch.baddbmm(grad * z[step], grad_sums[step].flatten(-2), weight)
        grad_inputs = grad_sums.clone()
        torch.mul(grad_of_states, of_n, out=grad_inputs[..., 2, :])
        # Shape: (2, steps * batch, dim)
        sums, before = (t.flatten(3).transpose(0, 1).flatten(1, 2) for t in (grad_sums, previous))
        return grad_inputs.flatten(-2), sums.transpose(1, 2) @ before, sums.sum(1)
