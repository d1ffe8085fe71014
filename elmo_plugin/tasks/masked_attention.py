"""Attention scores with masked positions."""

from typing import Optional

import torch
from allennlp.nn.util import min_value_of_dtype


def mask_scores(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Replace scores at masked positions by the smallest number of their type."""
    return scores.masked_fill(~mask, min_value_of_dtype(scores.dtype))


def attention_weights(
    scores: torch.Tensor, mask: torch.Tensor, no_alignment: Optional[torch.Tensor] = None
) -> torch.Tensor:
    """
    Apply softmax over the last dimension; zero at masked positions, even if all are masked. With
    `no_alignment`, the score of attending to nothing, weights add up to less than 1.
    """
    scores = mask_scores(scores, mask)
    if no_alignment is not None:
        nothing = no_alignment.expand(*scores.shape[:-1], 1)
        scores = torch.cat([scores, nothing], dim=-1)
    return torch.softmax(scores, dim=-1)[..., : mask.size(-1)] * mask
