"""Sentence boundaries, which the biLM reads as words of their own."""

from __future__ import annotations

import torch

from elmo_plugin.layers.char_ids import BOS_TOKEN, EOS_TOKEN, batch_to_ids


def boundary_ids(max_characters: int) -> torch.Tensor:
    """Character ids of BOS and EOS. Shape (2, max_characters)."""
    return batch_to_ids([[BOS_TOKEN, EOS_TOKEN]], max_characters)[0]


def add_boundaries(character_ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """
    Surround the words of each sentence with BOS and EOS.

    # Parameters

    character_ids : `torch.Tensor`
        Shape (batch, tokens, characters).
    lengths : `torch.Tensor`
        Tokens of each sentence. Shape (batch,).

    # Returns

    `torch.Tensor` : flattened tokens of all sentences with BOS and EOS. Shape (words, characters).
    """
    batch, tokens, characters = character_ids.shape
    # The ids' own type may be too small for those of the boundaries.
    padded = character_ids.new_zeros(batch, tokens + 2, characters, dtype=torch.long)
    padded[:, 1:-1] = character_ids
    bos, eos = boundary_ids(characters).to(padded.device)
    padded[:, 0] = bos
    padded[torch.arange(batch, device=padded.device), lengths + 1] = eos
    position = torch.arange(tokens + 2, device=padded.device)
    return padded[position < (lengths + 2).unsqueeze(1)]


def token_mask(lengths: torch.Tensor) -> torch.Tensor:
    """
    Mask BOS and EOS among the words of `add_boundaries`.

    # Parameters

    lengths : `torch.Tensor`
        Tokens of each sentence. Shape (batch,).

    # Returns

    `torch.Tensor` : False for BOS and EOS. Shape (words,).
    """
    ends = (lengths + 2).cumsum(0)
    mask = torch.ones(int(lengths.sum()) + 2 * len(lengths), dtype=torch.bool, device=ends.device)
    mask[ends - 1] = False
    mask[ends - lengths - 2] = False
    return mask
