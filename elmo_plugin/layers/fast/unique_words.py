"""Each distinct word of a batch once: what the character encoder needs to see."""

from __future__ import annotations

import torch


def unique_words(words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    The distinct rows of `words`, and for each row of `words` which of them it is.

    # Parameters

    words : `torch.Tensor`
        Integers. Shape (words, characters).

    # Returns

    distinct : `torch.Tensor`
        Shape (distinct words, characters); `distinct[index]` equals `words`.
    index : `torch.Tensor`
        Shape (words,).
    """
    # Sorting one hash a word is many times faster than sorting rows.
    keys, index = torch.unique(_hash(words), return_inverse=True)
    row = torch.empty_like(keys).scatter_(0, index, torch.arange(len(words), device=words.device))
    distinct = words[row]
    if torch.equal(distinct[index], words):
        return distinct, index
    # Two words met in one hash: sort them whole.
    return torch.unique(words, dim=0, return_inverse=True)


def _hash(words: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(words.size(1))
    factors = torch.randint(-(2**62), 2**62, (words.size(1),), generator=generator)
    return (words * factors.to(words.device)).sum(-1)
