"""Applies a function to each sentence of a text, as a biLM reads one sentence at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch


def apply_per_sentence(
    function: Callable[[torch.Tensor], torch.Tensor], tokens: torch.Tensor, sentences: torch.Tensor
) -> torch.Tensor:
    """
    Apply `function` to the sentences of each text and put the results back in place.

    # Parameters

    function : `Callable`
        From (sentences, tokens, values) to (sentences, tokens, dim).
    tokens : `torch.Tensor`
        Shape (batch, tokens, values).
    sentences : `torch.Tensor`
        Number of each token's sentence, from 1, never falling along a text; 0 for padding. Shape
        (batch, tokens).

    # Returns

    `torch.Tensor` : zero at padding. Shape (batch, tokens, dim).
    """
    mask = sentences > 0
    texts, _ = mask.nonzero(as_tuple=True)
    # Shape of row: (all tokens,), the sentence that each token is in
    _, row, lengths = torch.unique_consecutive(
        torch.stack([texts, sentences[mask]], dim=1),
        dim=0,
        return_inverse=True,
        return_counts=True,
    )
    starts = lengths.cumsum(0) - lengths
    column = torch.arange(len(row), device=row.device) - starts[row]
    longest = int(lengths.max()) if len(lengths) else 0

    # Shape: (all sentences, longest, values)
    inputs = tokens.new_zeros(len(lengths), longest, tokens.size(-1))
    inputs[row, column] = tokens[mask]
    outputs = function(inputs)
    result = outputs.new_zeros(*sentences.shape, outputs.size(-1))
    result[mask] = outputs[row, column]
    return result
