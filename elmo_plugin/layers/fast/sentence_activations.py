"""A biLM's layers of whole sentences, kept by sentence instead of computed again."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import torch

from elmo_plugin.layers.bilm import BilmOutput


def sentence_keys(character_ids: torch.Tensor, mask: torch.Tensor) -> list[bytes]:
    """
    What each sentence is kept by: a hash of all that the biLM reads of it.

    # Parameters

    character_ids : `torch.Tensor`
        Shape (batch, tokens, characters).
    mask : `torch.Tensor`
        Shape (batch, tokens).
    """
    # All ids are below 262. Bytes in one order, so that files may go from machine to machine.
    rows = character_ids.to("cpu", torch.int16).numpy().astype("<i2", copy=False)
    lengths = mask.sum(1).tolist()
    return [
        blake2b(row[:length].tobytes(), digest_size=16).digest()
        for row, length in zip(rows, lengths)
    ]


def split_activations(output: BilmOutput) -> list[torch.Tensor]:
    """Each sentence's layers by themselves. Shape (tokens, layers, dim) each, on the CPU."""
    words = output.layers[:, output.mask].transpose(0, 1).cpu()
    return list(words.split(output.mask.sum(1).tolist()))


def join_activations(
    sentences: Sequence[torch.Tensor], mask: torch.Tensor, mixture_size: int, dim: int
) -> BilmOutput:
    """The inverse of `split_activations`."""
    words = torch.cat(list(sentences)) if sentences else torch.empty(0, mixture_size, dim)
    words = words.to(mask.device)
    layers = words.new_zeros(mixture_size, *mask.shape, dim)
    layers[:, mask] = words.transpose(0, 1)
    return BilmOutput(layers, mask)
