"""Highway layers (Srivastava et al. 2015, https://arxiv.org/abs/1505.00387)."""

from __future__ import annotations

import torch

from elmo_plugin.layers.linear import Linear

# At first the gate is nearly closed: a new layer passes most of its input through.
INITIAL_GATE_BIAS = -2.0


class Highway(torch.nn.Module):
    """
    One highway layer, `g * relu(W_t x + b_t) + (1 - g) * x` with `g = sigmoid(W_c x + b_c)`.
    bilm-tf and its weight files call `W_c` the carry weights although `g` opens the transformed
    branch; the name is kept.

    # Parameters

    dim : `int`
        Size of input and output.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.transform = Linear(dim, dim)
        self.carry = Linear(dim, dim)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize as published: weights N(0, 1/dim), biases 0 and -2."""
        for linear, bias in ((self.transform, 0.0), (self.carry, INITIAL_GATE_BIAS)):
            torch.nn.init.normal_(linear.weight, std=linear.in_features**-0.5)
            torch.nn.init.constant_(linear.bias, bias)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Mix the transformed and the given vectors by the gate. Shape (..., dim)."""
        gate = torch.sigmoid(self.carry(inputs))
        return torch.lerp(inputs, torch.relu(self.transform(inputs)), gate)
