"""The token layer: character CNN, highways, projection (Peters et al. 2018, section 3.4)."""

from __future__ import annotations

import torch

from elmo_plugin.layers.fast.compiled import is_compiled_for

from elmo_plugin.layers.char_ids import NUM_CHARACTERS, PADDING_ID
from elmo_plugin.layers.config import BilmConfig
from elmo_plugin.layers.highway import Highway

# Bounds of groups of words, in characters with both marks of a word.
_LENGTHS = (7, 10, 14, 22)


class CharacterEncoder(torch.nn.Module):
    """
    A word's context-independent vector from its characters alone (Kim et al. 2015;
    Jozefowicz et al. 2016).

    # Parameters

    config : `BilmConfig`
        Gives filters, activation, highways and sizes.
    precision : `torch.dtype`, optional (default = `None`)
        Type of the operands of matrix products in training; the weights' own if `None`.
    """

    def __init__(self, config: BilmConfig, precision: torch.dtype | None = None) -> None:
        super().__init__()
        self.precision = precision
        self.activation = getattr(torch, config.activation)
        self.characters = torch.nn.Embedding(NUM_CHARACTERS, config.character_dim, padding_idx=0)
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(config.character_dim, number, width) for width, number in config.filters
        )
        self.highways = torch.nn.Sequential(
            *(Highway(config.num_filters) for _ in range(config.num_highways))
        )
        self.projection = torch.nn.Linear(config.num_filters, config.projection_dim)
        self.widest = max(width for width, _ in config.filters)
        self.reset_parameters(config)

    def reset_parameters(self, config: BilmConfig) -> None:
        """As published: characters U(-1, 1), projection N(0, 1/sqrt(n)), others by activation."""
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

    def forward(self, character_ids: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        character_ids : `torch.Tensor`
            Ids of words, no masked ones. Shape (words, characters).

        # Returns

        `torch.Tensor` : Shape (words, projection_dim).
        """
        # A word's vector may outlive this pass (see `WordCache`) and a task model's autocast.
        lower = self.training and self.precision not in (None, torch.float32)
        with torch.autocast(character_ids.device.type, dtype=self.precision, enabled=lower):
            # The activations rise monotonically, so the maximum may be taken first.
            # Shape: (words, filters)
            if is_compiled_for(self.projection.weight) and len(character_ids):
                from elmo_plugin.layers.fast.compiled_convolution import convolve_and_max

                positions = torch.arange(1, character_ids.size(1) + 1)
                lengths = ((character_ids != PADDING_ID) * positions).amax(1)
                convolved = convolve_and_max(character_ids, lengths, self.characters.weight, list(self.convolutions)).to(self.precision if lower else torch.float32)
            else:
                convolved = self._convolve_by_length(character_ids)
            projected = self.projection(self.highways(self.activation(convolved)))
        return projected.to(self.projection.weight.dtype)

    def _convolve_by_length(self, character_ids: torch.Tensor) -> torch.Tensor:
        # All windows that see nothing but padding are equal, so the widest filter needs one of
        # them, starting where a word ends; the rest would only repeat it. Words of about one
        # length go together, in widths that do not depend on what else there is.
        order, sizes = sort_by_length(character_ids)
        parts = [
            self._convolve(part[:, : longest + self.widest])
            for part, longest in zip(
                character_ids[order].split(sizes), (*_LENGTHS, character_ids.size(1))
            )
            if len(part)
        ]
        return torch.cat(parts or [self._convolve(character_ids)])[order.argsort()]

    def _convolve(self, character_ids: torch.Tensor) -> torch.Tensor:
        # Shape: (words, character_dim, characters)
        characters = self.characters(character_ids).transpose(1, 2)
        return torch.cat([conv(characters).max(-1).values for conv in self.convolutions], dim=-1)


def sort_by_length(character_ids: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
    """
    Group words of about the same length.

    # Parameters

    character_ids : `torch.Tensor`
        Shape (words, characters).

    # Returns

    order : `torch.Tensor`
        Indices of the words, group after group, shortest first. Shape (words,).
    sizes : `List[int]`
        Number of words in each group; may be zero.
    """
    positions = torch.arange(1, character_ids.size(1) + 1, device=character_ids.device)
    lengths = ((character_ids != PADDING_ID) * positions).amax(1)
    bounds = torch.tensor(_LENGTHS, device=character_ids.device)
    groups, order = torch.bucketize(lengths, bounds).sort(stable=True)
    return order, torch.bincount(groups, minlength=len(_LENGTHS) + 1).tolist()
