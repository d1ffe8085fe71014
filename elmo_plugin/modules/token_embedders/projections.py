"""Projection of ELMo's representations and their concatenation."""

from collections.abc import Sequence
from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError


class Projections(torch.nn.ModuleList):
    """
    Projects each representation with its own matrix and concatenates them. Padding stays zero.

    # Parameters

    num_representations : `int`
    input_dim : `int`
        Size of each representation.
    projection_dim : `int`, optional (default = `None`)
        Size after projection; `None` for no projection.

    # Raises

    `ConfigurationError` : `projection_dim` below 1.
    """

    def __init__(
        self, num_representations: int, input_dim: int, projection_dim: Optional[int] = None
    ) -> None:
        if projection_dim is not None and projection_dim < 1:
            raise ConfigurationError(f"projection_dim: expected at least 1, got {projection_dim}")
        super().__init__(
            torch.nn.Linear(input_dim, projection_dim) if projection_dim else torch.nn.Identity()
            for _ in range(num_representations)
        )
        self._projects = projection_dim is not None
        self.output_dim = num_representations * (projection_dim or input_dim)

    def forward(self, representations: Sequence[torch.Tensor], ids: torch.Tensor) -> torch.Tensor:
        """
        Project each representation and concatenate them.

        # Parameters

        representations : `Sequence[torch.Tensor]`
            Shape (..., input_dim) each.
        ids : `torch.Tensor`
            Character ids, 0 in padding. Shape (..., characters).

        # Returns

        `torch.Tensor` : Shape (..., output_dim).
        """
        projected = torch.cat([project(r) for project, r in zip(self, representations)], dim=-1)
        # Without a projection, padding is zero already.
        return projected * (ids > 0).any(-1, keepdim=True) if self._projects else projected
