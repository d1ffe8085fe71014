"""The result of one pass of a biLM, which everything else in this package reads from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass
class BilmOutput:
    """All layers of a batch of sentences (R_k in section 3.2)."""

    layers: torch.Tensor
    """
    The token layer (repeated for both directions) and the LSTM layers, zero at masked positions.
    Shape (num_layers + 1, batch, tokens, 2 * projection_dim).
    """
    mask: torch.Tensor
    """True where there is a token. Shape (batch, tokens)."""


def pad_layers(layers: Sequence[torch.Tensor], mask: torch.Tensor) -> BilmOutput:
    """
    Arrange the words of each layer as a batch of sentences.

    # Parameters

    layers : `Sequence[torch.Tensor]`
        Words, sentence after sentence. Shape (words, dim).
    mask : `torch.Tensor`
        Shape (batch, tokens).
    """
    padded = layers[0].new_zeros(len(layers), *mask.shape, layers[0].size(-1))
    for depth, words in enumerate(layers):
        padded[depth, mask] = words
    return BilmOutput(padded, mask)
