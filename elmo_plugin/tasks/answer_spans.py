"""The answer with the best scores."""

import torch
from torch.nn.functional import pad


def best_spans(start: torch.Tensor, end: torch.Tensor, max_length: int) -> torch.Tensor:
    """
    Find the span of at most `max_length` tokens with the highest sum of scores.

    # Parameters

    start, end : `torch.Tensor`
        Scores of a span's first and last token. Shape (batch, tokens).
    max_length : `int`

    # Returns

    `torch.Tensor` : first and last token. Shape (batch, 2).
    """
    # Shape: (batch, tokens, max_length): the possible ends of a span that begins at each token
    ends = pad(end, (0, max_length - 1), value=float("-inf")).unfold(1, max_length, 1)
    best_end, length = ends.max(-1)
    first = (start + best_end).argmax(-1, keepdim=True)
    return torch.cat([first, first + length.gather(1, first)], dim=-1)
