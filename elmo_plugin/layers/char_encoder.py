"""The token layer: character CNN, highways, projection (Peters et al. 2018, section 3.4)."""

from __future__ import annotations

from typing import cast

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.char_ids import NUM_CHARACTERS
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.highway import Highway
from elmo_plugin.layers.linear import Linear

_PRECISIONS = (torch.float32, torch.bfloat16, torch.float16)


class CharacterEncoder(torch.nn.Module):
    """
    Embeds a word, independent of its context, from its characters alone (Kim et al. 2015;
    Jozefowicz et al. 2016): convolutions, maximum over positions, highways, projection.

    # Parameters

    config : `BilmConfig`
        Filters, activation, highways and sizes.
    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands in training, 32 or 16 bits; the weights' own if `None`.

    # Raises

    `ValueError` : another precision.
    """

    def __init__(self, config: BilmConfig, precision: torch.dtype | None = None) -> None:
        super().__init__()
        if precision not in (None, *_PRECISIONS):
            raise ValueError(f"precision: expected one of {_PRECISIONS} or none, got {precision!r}")
        self.precision = precision
        self.activation = getattr(torch, config.activation)
        self.characters = torch.nn.Embedding(NUM_CHARACTERS, config.character_dim, padding_idx=0)
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(config.character_dim, number, width) for width, number in config.filters
        )
        self.highways = torch.nn.Sequential(
            *(Highway(config.num_filters) for _ in range(config.num_highways))
        )
        self.projection = Linear(config.num_filters, config.projection_dim)
        self.reset_parameters(config)

    def reset_parameters(self, config: BilmConfig) -> None:
        """Initialize as published; convolutions depend on the activation."""
        torch.nn.init.uniform_(self.characters.weight.detach()[1:], -1.0, 1.0)
        for convolution, (width, _) in zip(self.convolutions, config.filters):
            weight, bias = convolution.parameters()
            if config.activation == "relu":
                torch.nn.init.uniform_(weight, -0.05, 0.05)
            else:
                torch.nn.init.normal_(weight, std=(width * config.character_dim) ** -0.5)
            torch.nn.init.zeros_(bias)
        torch.nn.init.normal_(self.projection.weight, std=config.num_filters**-0.5)
        torch.nn.init.zeros_(self.projection.bias)

    @property
    def lowers_precision(self) -> bool:
        """True in training with a lower precision than float32 that the device multiplies."""
        if not self.training or self.precision in (None, torch.float32):
            return False
        return backend.supports_matmul(self.precision, self.characters.weight.device)

    def forward(self, character_ids: torch.Tensor) -> torch.Tensor:
        """
        Compute the token layer: convolutions, maximum over time, highways and projection.

        # Parameters

        character_ids : `torch.Tensor`
            No masked words. Shape (words, characters).

        # Returns

        `torch.Tensor` : Shape (words, projection_dim).
        """
        # Turn off a task model's autocast: these vectors are cached, and may serve where it is off.
        lower = self.lowers_precision
        with torch.autocast(character_ids.device.type, dtype=self.precision, enabled=lower):
            # Shape: (words, filters)
            convolutions = cast("list[torch.nn.Conv1d]", list(self.convolutions))
            convolved = backend.convolve(
                self._convolve, self.characters, convolutions, character_ids
            )
            if lower:
                convolved = convolved.to(self.precision)  # compiled loops give float32
            # ReLU and tanh are monotonic, so the maximum over positions may come before them.
            projected = self.projection(self.highways(self.activation(convolved)))
        return projected.to(self.characters.weight.dtype)

    def _convolve(self, character_ids: torch.Tensor) -> torch.Tensor:
        # Shape: (words, character_dim, characters)
        characters = self.characters(character_ids).transpose(1, 2)
        return torch.cat([conv(characters).max(-1).values for conv in self.convolutions], dim=-1)
