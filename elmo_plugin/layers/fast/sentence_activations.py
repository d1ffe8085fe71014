"""A biLM's layers of single sentences, for caches and files."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice

import torch

from elmo_plugin.layers.bilm_output import BilmOutput, pad_layers
from elmo_plugin.layers.fast.row_bytes import row_bytes


def sentence_keys(character_ids: torch.Tensor, mask: torch.Tensor) -> list[bytes]:
    """
    Return a hash of all that the biLM reads of each sentence.

    # Parameters

    character_ids : `torch.Tensor`
        Shape (batch, tokens, characters).
    mask : `torch.Tensor`
        Shape (batch, tokens).
    """
    bytes_per_token = 2 * character_ids.size(-1)
    return [
        blake2b(row[: length * bytes_per_token], digest_size=16).digest()
        for row, length in zip(row_bytes(character_ids), mask.sum(1).tolist())
    ]


def keys_of_words(
    distinct: torch.Tensor, index: Sequence[int], lengths: Sequence[int]
) -> list[bytes]:
    """
    Compute `sentence_keys` where the distinct words are known.

    # Parameters

    distinct : `torch.Tensor`
        Character ids. Shape (words, characters).
    index : `Sequence[int]`
        Row in `distinct` of each token, sentence after sentence.
    lengths : `Sequence[int]`
        Tokens of each sentence.
    """
    rows = row_bytes(distinct)
    tokens = iter(index)
    return [
        blake2b(b"".join(rows[i] for i in islice(tokens, length)), digest_size=16).digest()
        for length in lengths
    ]


def split_activations(output: BilmOutput) -> list[torch.Tensor]:
    """Return the layers of each sentence, of shape (tokens, layers, dim), on the CPU."""
    words = output.layers[:, output.mask].transpose(0, 1).cpu()
    return list(words.split(output.mask.sum(1).tolist()))


def join_activations(
    sentences: Sequence[torch.Tensor], mask: torch.Tensor, mixture_size: int, dim: int
) -> BilmOutput:
    """The inverse of `split_activations`."""
    words = torch.cat(list(sentences)) if sentences else torch.empty(0, mixture_size, dim)
    return pad_layers(words.to(mask.device).unbind(1), mask)
