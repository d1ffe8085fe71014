"""The token layer of sentences (x_k^LM in section 3.1), which needs no LSTM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from elmo_plugin.layers import backend
from elmo_plugin.layers.bilm_output import BilmOutput, pad_layers
from elmo_plugin.layers.boundaries import add_boundaries, token_mask
from elmo_plugin.layers.char_ids import check_ids

if TYPE_CHECKING:
    from elmo_plugin.layers.bilm import Bilm


def encode_sentences(bilm: Bilm, character_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Encode each distinct word of a batch once.

    # Parameters

    bilm : `Bilm`
    character_ids : `torch.Tensor`
        See `Bilm.forward`. Shape (batch, tokens, characters).

    # Returns

    tokens : `torch.Tensor`
        Token layer of all sentences in order, with BOS and EOS. Shape (words, projection_dim).
    mask : `torch.Tensor`
        False at padding; without BOS and EOS. Shape (batch, tokens).
    """
    mask = check_ids(character_ids, bilm.config.max_characters)
    words = add_boundaries(character_ids, mask.sum(1))
    distinct, index = backend.unique_words(words)
    return torch.nn.functional.embedding(index, bilm.encode_words(distinct)), mask


def run_token_layer(bilm: Bilm, character_ids: torch.Tensor) -> BilmOutput:
    """
    Compute the token layer of a batch of sentences; the layers above it are zero. See
    `Bilm.forward`.
    """
    tokens, mask = encode_sentences(bilm, character_ids)
    layer = repeat_directions(tokens)[token_mask(mask.sum(1))]
    return pad_layers([layer] + [torch.zeros_like(layer)] * bilm.config.num_layers, mask)


def repeat_directions(tokens: torch.Tensor) -> torch.Tensor:
    """Repeat the token layer, which the directions share. (words, dim) to (words, 2 * dim)."""
    return torch.cat([tokens, tokens], dim=-1)
