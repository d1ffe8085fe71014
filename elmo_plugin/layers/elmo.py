"""ELMo: a biLM's layers, mixed for a task (sections 3.2 and 3.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import torch

from elmo_plugin.layers.bilm import Bilm
from elmo_plugin.layers.bilm_output import BilmOutput
from elmo_plugin.layers.scalar_mix import LayerNorm, MixKind, ScalarMix
from elmo_plugin.layers.token_layer import run_token_layer
from elmo_plugin.layers.uncompiled import uncompiled


class LayerSource(Protocol):
    """A `Bilm`, or a module with the same output, such as stored activations."""

    @property
    def mixture_size(self) -> int: ...

    @property
    def output_dim(self) -> int: ...

    def __call__(self, character_ids: torch.Tensor) -> BilmOutput: ...


class Cache(Protocol):
    """Cache of layers, such as `fast.activation_cache.ActivationCache`."""

    def run(self, bilm: Any, character_ids: torch.Tensor) -> BilmOutput: ...

    def fill(self, bilm: Any, batches: Iterable[torch.Tensor]) -> None: ...


class Elmo(torch.nn.Module):
    """
    Runs a biLM once and mixes its layers any number of times, each with its own weights and gamma:
    one mix for a task model's input, another for its output (section 3.3).

    # Parameters

    bilm : `Bilm` or `LayerSource`
        Frozen if its parameters do not require gradients.
    num_output_representations : `int`, optional (default = `1`)
        Number of mixes.
    mix : `str` or `int`, optional (default = `"weighted"`)
        See `ScalarMix`.
    do_layer_norm : `bool` or `str`, optional (default = `False`)
        See `ScalarMix`.
    dropout : `float`, optional (default = `0.5`)
        Applied to each representation in training (section 3.3).
    scalar_mix_parameters : `Sequence[float]`, optional (default = `None`)
        Fixed values of w; neither they nor gamma are then trained.
    cache : `Cache`, optional (default = `None`)
        Cache of a frozen biLM's layers, in training and evaluation; `None` to compute them each
        time.
    train_gamma : `bool`, optional (default = `True`)
        Learn gamma; otherwise it stays 1.

    # Raises

    `ValueError` : another kind of `bilm`, such as a path, see `load_bilm`; fewer than one mix; or
    what `ScalarMix` refuses.
    """

    def __init__(
        self,
        bilm: LayerSource,
        num_output_representations: int = 1,
        mix: MixKind = "weighted",
        do_layer_norm: LayerNorm = False,
        dropout: float = 0.5,
        scalar_mix_parameters: Sequence[float] | None = None,
        cache: Cache | None = None,
        train_gamma: bool = True,
    ) -> None:
        super().__init__()
        if not hasattr(bilm, "mixture_size"):
            raise ValueError(
                f"bilm: expected a Bilm, which load_bilm returns, got {bilm!r:.80} "
                f"({type(bilm).__name__})"
            )
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
                train_gamma=train_gamma,
            )
            for _ in range(num_output_representations)
        )
        self._cache = cache

    def forward(self, character_ids: torch.Tensor) -> list[torch.Tensor]:
        """
        Mix the biLM's layers of a batch of sentences (equation 1), once per mix.

        # Parameters

        character_ids : `torch.Tensor`
            Shape (..., tokens, characters); dimensions before the tokens count as one batch.

        # Returns

        `List[torch.Tensor]` : one per mix. Shape (..., tokens, 2 * projection_dim).
        """
        if character_ids.dim() < 2:
            found = tuple(character_ids.shape)
            raise ValueError(
                f"character_ids: expected shape (..., tokens, characters), got {found}"
            )
        *outer, tokens, characters = character_ids.shape
        output = self._run_bilm(character_ids.reshape(math.prod(outer), tokens, characters))
        mixed = [self.dropout(mix(output.layers, output.mask)) for mix in self.scalar_mixes]
        return [m.view(*outer, tokens, self.bilm.output_dim) for m in mixed]

    def cache_layers(self, batches: Sequence[torch.Tensor]) -> None:
        """
        Compute a frozen biLM's layers of the sentences of several batches together, for the calls
        that follow. Does nothing without a cache.

        # Parameters

        batches : `Sequence[torch.Tensor]`
            Each of shape (batch, tokens, characters).
        """
        if self._cache is not None and not self._needs_no_lstm():
            self._cache.fill(self.bilm, batches)

    @uncompiled
    def _run_bilm(self, character_ids: torch.Tensor) -> BilmOutput:
        if self._needs_no_lstm():
            return run_token_layer(self.bilm, character_ids)
        if self._cache is None:
            return self.bilm(character_ids)
        return self._cache.run(self.bilm, character_ids)

    def _needs_no_lstm(self) -> bool:
        if not all(mix.reads_token_layer_only for mix in self.scalar_mixes):
            return False
        # Trained LSTMs have gradients, of zero, which DistributedDataParallel expects.
        return isinstance(self.bilm, Bilm) and not any(
            parameter.requires_grad for parameter in self.bilm.lstm.parameters()
        )
