"""Selects the layers of tokens' vectors, and pools the vectors of a sentence."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, get_args

import torch

from elmo_plugin.embedding.choices import Layers, Pooling
from elmo_plugin.layers import ScalarMix
from elmo_plugin.layers.bilm_output import BilmOutput

Select = Callable[[BilmOutput], torch.Tensor]
"""From a biLM's output to its words' vectors, of shape (words, ..., dim)."""


def layer_selection(layers: Layers, num_layers: int, mix: ScalarMix | None) -> Select:
    """
    Return a function that selects or mixes the layers of a biLM's output.

    # Parameters

    layers : `str` or `int`
        "all", "average", "last", "mix", or the index of a layer, 0 for the token layer.
    num_layers : `int`
        Layers of the biLM, the token layer included.
    mix : `ScalarMix` or `None`
        For "mix".

    # Returns

    `Callable` : returns shape (words, dim); with "all" (words, layers, dim).

    # Raises

    `ValueError` : no such layers, no mix, or a mix that normalizes over a batch.
    """
    if layers == "mix":
        if mix is None:
            raise ValueError(
                "layers: got 'mix', which a biLM alone has not learned: expected the archive of a "
                "task model with ELMo"
            )
        if mix.do_layer_norm == "batch":
            raise ValueError(
                "layers: expected 'mix' of a model whose vectors depend on their sentence alone, "
                'found do_layer_norm "batch", with which they depend on the other sentences of '
                "the batch"
            )
        return lambda output: mix(output.layers, output.mask)[output.mask]
    if layers == "all":
        return lambda output: output.layers[:, output.mask].transpose(0, 1)
    if layers == "average":
        return lambda output: output.layers.mean(0)[output.mask]
    index: Any = num_layers - 1 if layers == "last" else layers
    is_index = isinstance(index, Integral) and not isinstance(index, bool)
    if not (is_index and 0 <= index < num_layers):
        raise ValueError(
            "layers: expected 'all', 'average', 'last', 'mix' or the index of a layer from 0 to "
            f"{num_layers - 1}, got {layers!r}"
        )
    return select_token_layer if index == 0 else lambda output: output.layers[index][output.mask]


def select_token_layer(output: BilmOutput) -> torch.Tensor:
    """Select the layer that needs no LSTM."""
    return output.layers[0][output.mask]


def check_pooling(pooling: str | None) -> None:
    """Raise a `ValueError` for an unknown pooling."""
    if pooling is not None and pooling not in get_args(Pooling):
        raise ValueError(f"pooling: expected 'mean', 'max' or None, got {pooling!r}")


def pool(vectors: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    """Pool tokens, shape (tokens, ..., dim) to (..., dim): zeros for a sentence without tokens."""
    if not len(vectors):
        return vectors.new_zeros(vectors.shape[1:])
    return vectors.mean(0) if pooling == "mean" else vectors.amax(0)
