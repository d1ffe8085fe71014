"""The distinct words of a batch, for the character encoder to see each once."""

from __future__ import annotations

import torch


def unique_words(words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Find the distinct rows of `words`, as `torch.unique(words, dim=0)` does, but faster.

    # Parameters

    words : `torch.Tensor`
        Integers. Shape (words, characters).

    # Returns

    distinct : `torch.Tensor`
        In no particular order. Shape (distinct words, characters).
    index : `torch.Tensor`
        `distinct[index]` equals `words`. Shape (words,).
    """
    # Sorting one hash per word is many times faster than sorting rows.
    keys, index = torch.unique(_hash(words), return_inverse=True)
    row = torch.empty_like(keys).scatter_(0, index, torch.arange(len(words), device=words.device))
    distinct = words[row]
    if torch.equal(distinct[index], words):
        return distinct, index
    # Two words have the same hash: sort whole rows.
    return torch.unique(words, dim=0, return_inverse=True)


def _hash(words: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator("cpu").manual_seed(words.size(1))
    shape = (words.size(1),)
    factors = torch.randint(-(2**62), 2**62, shape, generator=generator, device="cpu")
    return (words * factors.to(words.device)).sum(-1)
