"""ELMo: a biLM's layers, mixed for a task (section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.scalar_mix import MixKind, ScalarMix


class Elmo(torch.nn.Module):
    """
    One pass of a biLM, read by any number of mixes: one for a task model's input, another for
    its output (section 3.3), each with its own weights and gamma.

    # Parameters

    bilm : `Bilm`
        Frozen or not as its parameters say.
    num_output_representations : `int`, optional (default = `1`)
    mix : `str` or `int`, optional (default = `"weighted"`)
        See `ScalarMix`.
    do_layer_norm : `bool`, optional (default = `False`)
    dropout : `float`, optional (default = `0.5`)
        On each representation, in training (section 3.4).
    scalar_mix_parameters : `Sequence[float]`, optional (default = `None`)
        Fixed values of w; neither they nor gamma are then trained.
    """

    def __init__(
        self,
        bilm: Bilm,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
        do_layer_norm: bool = False,
        dropout: float = 0.5,
        scalar_mix_parameters: Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        if num_output_representations < 1:
            raise ValueError(
                f"num_output_representations: expected at least 1, got {num_output_representations}"
            )
        self.bilm = bilm
        self.dropout = torch.nn.Dropout(dropout)
        self.scalar_mixes = torch.nn.ModuleList(
            ScalarMix(
                bilm.config.num_layers + 1,
                mix,
                do_layer_norm,
                scalar_mix_parameters,
                trainable=scalar_mix_parameters is None,
            )
            for _ in range(num_output_representations)
        )

    def forward(self, character_ids: torch.Tensor) -> list[torch.Tensor]:
        """
        # Parameters

        character_ids : `torch.Tensor`
            Shape (..., tokens, characters); dimensions before the tokens count as one batch.

        # Returns

        `List[torch.Tensor]` : one a mix. Shape (..., tokens, 2 * projection_dim).
        """
        *outer, tokens, characters = character_ids.shape
        output = self.bilm(character_ids.reshape(math.prod(outer), tokens, characters))
        mixed = [self.dropout(mix(output.layers, output.mask)) for mix in self.scalar_mixes]
        return [m.view(*outer, tokens, self.bilm.output_dim) for m in mixed]
