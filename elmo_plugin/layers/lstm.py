"""The LSTM with projected, clipped output (Sak et al. 2014), as in bilm-tf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

# Added to the forget gate before its sigmoid, as TensorFlow does; stored biases do not include it.
FORGET_BIAS = 1.0

Clips = tuple[float | None, float | None]
"""Bounds on the absolute values of cell and output; `None` for no bound."""


class LstmState(NamedTuple):
    """State of a layer between two steps, forward direction first."""

    hidden: torch.Tensor
    """Shape (2, batch, projection_dim)."""
    cell: torch.Tensor
    """Shape (2, batch, cell_dim)."""


class LstmWeights(NamedTuple):
    """Forward direction first. Gates are in bilm-tf's order: input, candidate, forget, output."""

    input: torch.Tensor
    """Shape (2, input_dim, 4 * cell_dim)."""
    recurrent: torch.Tensor
    """Shape (2, projection_dim, 4 * cell_dim)."""
    bias: torch.Tensor
    """Shape (2, 4 * cell_dim)."""
    projection: torch.Tensor
    """Shape (2, cell_dim, projection_dim)."""


def lstm(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
) -> tuple[torch.Tensor, LstmState]:
    """
    Run both directions of one layer over packed sequences. This is the definition;
    `fast.recurrence` computes the same values and gradients faster.

    # Parameters

    inputs : `torch.Tensor`
        Rows of step 0, then of step 1, and so on, in each direction's own reading order. Shape
        (2, words, input_dim).
    weights : `LstmWeights`
    state : `LstmState`
        Before the first step, for `batch_sizes[0]` sequences.
    batch_sizes : `Sequence[int]`
        Number of rows in each step, never rising: longer sequences come first.
    clips : `Clips`
        Bounds of the cell state and of the projected output; `None` for no bound.

    # Returns

    `Tuple[torch.Tensor, LstmState]` : outputs, packed like `inputs`, of shape (2, words,
    projection_dim); and the state of each sequence after its own last step, detached.
    """
    hidden, cell = state
    outputs = [inputs.new_empty(2, 0, hidden.size(-1))]
    for x in inputs.split(list(batch_sizes), dim=1):
        rows = x.size(1)
        h, c = hidden[:, :rows], cell[:, :rows]
        gates = x @ weights.input + h @ weights.recurrent + weights.bias.unsqueeze(1)
        i, g, f, o = gates.chunk(4, dim=-1)
        c = _clip(torch.sigmoid(f + FORGET_BIAS) * c + torch.sigmoid(i) * torch.tanh(g), clips[0])
        h = _clip((torch.sigmoid(o) * torch.tanh(c)) @ weights.projection, clips[1])
        outputs.append(h)
        # Sequences that have ended keep their state.
        hidden, cell = (torch.cat([new, old[:, rows:]], 1) for new, old in ((h, hidden), (c, cell)))
    return torch.cat(outputs, 1), LstmState(hidden.detach(), cell.detach())


def _clip(values: torch.Tensor, bound: float | None) -> torch.Tensor:
    return values if bound is None else values.clamp(-bound, bound)
