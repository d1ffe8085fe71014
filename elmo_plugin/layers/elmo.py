"""ELMo: a biLM's layers, mixed for a task (section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import torch

from elmo_plugin.layers.bilm import BilmOutput
from elmo_plugin.layers.fast.activation_cache import ActivationCache
from elmo_plugin.layers.scalar_mix import MixKind, ScalarMix


class LayerSource(Protocol):
    """A `Bilm`, or a module that gives layers out as one does, such as stored ones."""

    @property
    def mixture_size(self) -> int: ...

    @property
    def output_dim(self) -> int: ...

    def __call__(self, character_ids: torch.Tensor) -> BilmOutput: ...


class Elmo(torch.nn.Module):
    """
    One pass of a biLM, read by any number of mixes: one for a task model's input, another for
    its output (section 3.3), each with its own weights and gamma.

    # Parameters

    bilm : `Bilm` or `LayerSource`
        Frozen or not as its parameters say.
    num_output_representations : `int`, optional (default = `1`)
    mix : `str` or `int`, optional (default = `"weighted"`)
        See `ScalarMix`.
    do_layer_norm : `bool`, optional (default = `False`)
    dropout : `float`, optional (default = `0.5`)
        On each representation, in training (section 3.4).
    scalar_mix_parameters : `Sequence[float]`, optional (default = `None`)
        Fixed values of w; neither they nor gamma are then trained.
    cache : `ActivationCache`, optional (default = `None`)
        Where a frozen biLM's layers are remembered, in training and in evaluation alike; `None` to
        compute them each time.
    """

    def __init__(
        self,
        bilm: LayerSource,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
        do_layer_norm: bool = False,
        dropout: float = 0.5,
        scalar_mix_parameters: Sequence[float] | None = None,
        cache: ActivationCache | None = None,
    ) -> None:
        super().__init__()
        if num_output_representations < 1:
            raise ValueError(
                f"num_output_representations: expected at least 1, got {num_output_representations}"
            )
        self.bilm: Any = bilm
        self.dropout = torch.nn.Dropout(dropout)
        self.scalar_mixes = torch.nn.ModuleList(
            ScalarMix(
                bilm.mixture_size,
                mix,
                do_layer_norm,
                scalar_mix_parameters,
                trainable=scalar_mix_parameters is None,
            )
            for _ in range(num_output_representations)
        )
        self._cache = cache

    def forward(self, character_ids: torch.Tensor) -> list[torch.Tensor]:
        """
        # Parameters

        character_ids : `torch.Tensor`
            Shape (..., tokens, characters); dimensions before the tokens count as one batch.

        # Returns

        `List[torch.Tensor]` : one a mix. Shape (..., tokens, 2 * projection_dim).
        """
        *outer, tokens, characters = character_ids.shape
        output = self._read(character_ids.reshape(math.prod(outer), tokens, characters))
        mixed = [self.dropout(mix(output.layers, output.mask)) for mix in self.scalar_mixes]
        return [m.view(*outer, tokens, self.bilm.output_dim) for m in mixed]

    def _read(self, character_ids: torch.Tensor) -> BilmOutput:
        if self._cache is None:
            return self.bilm(character_ids)
        return self._cache.run(self.bilm, character_ids)
