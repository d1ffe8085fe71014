"""Attention scores with masked positions."""

import torch
from allennlp.nn.util import min_value_of_dtype


def mask_scores(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Replace scores at masked positions by the smallest number of their type."""
    return scores.masked_fill(~mask, min_value_of_dtype(scores.dtype))


def attention_weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Apply softmax over the last dimension; zero at masked positions, even if all are masked."""
    return torch.softmax(mask_scores(scores, mask), dim=-1) * mask
