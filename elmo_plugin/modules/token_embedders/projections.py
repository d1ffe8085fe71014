"""From ELMo's representations to one vector a token."""

from collections.abc import Sequence
from typing import Optional

import torch


class Projections(torch.nn.ModuleList):
    """
    A matrix for each representation, or none.

    # Parameters

    number : `int`
    input_dim : `int`
        Of each representation.
    projection_dim : `int`, optional (default = `None`)
        What each is projected to; `None` for no projection.
    """

    def __init__(self, number: int, input_dim: int, projection_dim: Optional[int] = None) -> None:
        super().__init__(
            torch.nn.Linear(input_dim, projection_dim) if projection_dim else torch.nn.Identity()
            for _ in range(number)
        )
        self.output_dim = number * (projection_dim or input_dim)

    def forward(self, representations: Sequence[torch.Tensor]) -> torch.Tensor:
        """
        # Parameters

        representations : `Sequence[torch.Tensor]`
            Shape (..., input_dim) each.

        # Returns

        `torch.Tensor` : one after the other. Shape (..., output_dim).
        """
        projected = [project(r) for project, r in zip(self, representations)]
        return torch.cat(projected, dim=-1)
