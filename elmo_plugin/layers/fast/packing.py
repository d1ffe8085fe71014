"""Sentences of unequal length as steps of a shrinking batch, for both directions at once."""

from __future__ import annotations

from collections.abc import Sequence

import torch


class Packing:
    """
    Sorts the sentences of a batch by length, longest first, and arranges their words step by step.
    The backward direction reads each sentence from its own end, so both directions have the same
    number of sentences left at every step, and no step computes padding.

    # Parameters

    lengths : `torch.Tensor`
        Words of each sentence, at least one each. Shape (batch,).
    """

    batch_sizes: list[int]
    """Number of sentences left at each step."""
    order: torch.Tensor
    """Index of each sentence, longest first. Shape (batch,)."""
    source: torch.Tensor
    """Index of the word in each packed row, counted sentence after sentence. Shape (2, words)."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.order = torch.argsort(lengths, descending=True, stable=True)
        steps = torch.arange(int(lengths.max()) if len(lengths) else 0, device=lengths.device)
        # Shape: (steps, batch)
        running = steps.unsqueeze(1) < lengths[self.order]
        self.batch_sizes = running.sum(1).tolist()
        step, row = running.nonzero(as_tuple=True)
        sentence = self.order[row]
        first = (lengths.cumsum(0) - lengths)[sentence]
        self.source = torch.stack([first + step, first + lengths[sentence] - 1 - step])

    def pack(self, words: torch.Tensor) -> torch.Tensor:
        """Shape (words, ...), sentence after sentence, to (2, words, ...), step after step."""
        return words[self.source]

    def unpack(self, packed: torch.Tensor) -> torch.Tensor:
        """Shape (2, words, dim), step after step, to (words, 2 * dim), sentence after sentence."""
        row = torch.argsort(self.source, dim=1)
        return torch.cat([packed[0, row[0]], packed[1, row[1]]], dim=-1)


def step_slices(batch_sizes: Sequence[int]) -> list[slice]:
    """The packed rows of each step."""
    slices, start = [], 0
    for rows in batch_sizes:
        slices.append(slice(start, start + rows))
        start += rows
    return slices
