"""A linear layer whose weight may have lower precision than its inputs."""

from __future__ import annotations

import torch


class Linear(torch.nn.Linear):
    """
    `torch.nn.Linear`, computed in the type of its weight; the result has the type of the inputs.

    # Parameters

    in_features, out_features : `int`
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Shape (..., in_features) to (..., out_features)."""
        if self.weight.dtype == torch.float32:
            return super().forward(inputs)
        dtype = self.weight.dtype
        outputs = torch.nn.functional.linear(inputs.to(dtype), self.weight, self.bias.to(dtype))
        return outputs.to(inputs.dtype)
