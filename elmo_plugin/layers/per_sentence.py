"""A text's tokens apart by sentence, and back again: a biLM reads one sentence at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch


def apply_per_sentence(
    function: Callable[[torch.Tensor], torch.Tensor], tokens: torch.Tensor, sentences: torch.Tensor
) -> torch.Tensor:
    """
    What `function` makes of each sentence by itself, put back where its tokens stand.

    # Parameters

    function : `Callable`
        From (sentences, tokens, values) to (sentences, tokens, dim).
    tokens : `torch.Tensor`
        Shape (batch, tokens, values).
    sentences : `torch.Tensor`
        The number of each token's sentence, from 1, not falling along a text; 0 where there is
        padding. Shape (batch, tokens).

    # Returns

    `torch.Tensor` : zero where there is padding. Shape (batch, tokens, dim).
    """
    shown = sentences > 0
    texts, _ = shown.nonzero(as_tuple=True)
    # Shape: (all tokens, 2), and (all tokens,): which of all sentences a token is in
    _, row, lengths = torch.unique_consecutive(
        torch.stack([texts, sentences[shown]], dim=1),
        dim=0,
        return_inverse=True,
        return_counts=True,
    )
    starts = lengths.cumsum(0) - lengths
    column = torch.arange(len(row), device=row.device) - starts[row]
    longest = int(lengths.max()) if len(lengths) else 0

    # Shape: (all sentences, longest, values)
    apart = tokens.new_zeros(len(lengths), longest, tokens.size(-1))
    apart[row, column] = tokens[shown]
    vectors = function(apart)
    together = vectors.new_zeros(*sentences.shape, vectors.size(-1))
    together[shown] = vectors[row, column]
    return together
