"""Sentences of unequal length as steps of a shrinking batch, for both directions at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

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
        """
        Arrange words step by step: (words, ...), sentence after sentence, to (2, words, ...).
        """
        return words[self.source]

    def unpack(self, packed: torch.Tensor) -> torch.Tensor:
        """
        Arrange both directions' results by sentence: (2, words, dim), step after step, to
        (words, 2 * dim).
        """
        row = torch.argsort(self.source, dim=1)
        return torch.cat([packed[0, row[0]], packed[1, row[1]]], dim=-1)


def last_rows(batch_sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """Return the packed row of each sequence's last step. Shape (batch_sizes[0],)."""
    starts = accumulate(batch_sizes, initial=0)
    steps = list(zip(starts, batch_sizes, [*batch_sizes[1:], 0]))
    # The sequences that end last come first.
    rows = [start + row for start, size, later in reversed(steps) for row in range(later, size)]
    return torch.tensor(rows, dtype=torch.long, device=device)


def rows_before(batch_sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """For each packed row, the row of the step before in [initial state; packed rows]."""
    first = batch_sizes[0]
    starts = [-first, *accumulate(batch_sizes, initial=0)]
    rows = [torch.arange(start, start + size) for start, size in zip(starts, batch_sizes)]
    return torch.cat(rows).to(device) + first
