"""A linear layer whose weight may have lower precision than its inputs."""

from __future__ import annotations

import torch

from elmo_plugin.layers import backend


class Linear(torch.nn.Linear):
    """
    `torch.nn.Linear`, computed in the type of its weight; the result has the type of the inputs.

    # Parameters

    in_features, out_features : `int`
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Project vectors: shape (..., in_features) to (..., out_features)."""
        return backend.linear(inputs, self.weight, self.bias)
