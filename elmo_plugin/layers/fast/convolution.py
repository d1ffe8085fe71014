"""Character convolutions as matrix products."""

from __future__ import annotations

from collections.abc import Sequence

import torch

# A word's windows and scores take 0.3 MB with 2,048 filters.
_WORDS_AT_ONCE = 4096


def convolve_by_matmul(
    embedding: torch.Tensor, convolutions: Sequence[torch.nn.Conv1d], character_ids: torch.Tensor
) -> torch.Tensor:
    """
    Compute what `CharacterEncoder` defines. On GPUs, cuDNN's convolutions round float32 to ten bits
    unless told otherwise, and may add up in a changing order; products of matrices do neither.

    # Parameters

    embedding : `torch.Tensor`
        Shape (characters, dim).
    convolutions : `Sequence[torch.nn.Conv1d]`
    character_ids : `torch.Tensor`
        Shape (words, characters).

    # Returns

    `torch.Tensor` : the maximum over positions. Shape (words, filters).
    """
    if len(character_ids) > _WORDS_AT_ONCE:
        parts = character_ids.split(_WORDS_AT_ONCE)
        return torch.cat([convolve_by_matmul(embedding, convolutions, part) for part in parts])
    # Shape: (words, characters, dim)
    characters = torch.nn.functional.embedding(character_ids, embedding, padding_idx=0)
    maxima = []
    for convolution in convolutions:
        # Shape: (words, positions, dim * width)
        windows = characters.unfold(1, convolution.kernel_size[0], 1).flatten(2)
        kernel = convolution.weight.flatten(1)
        scores = torch.nn.functional.linear(windows, kernel, convolution.bias)
        maxima.append(scores.max(1).values)
    return torch.cat(maxima, dim=-1)
