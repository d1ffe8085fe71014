"""One direction of a projected LSTM layer, backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from elmo_plugin.layers.fast.compiled.direction import (
    Activations,
    Direction,
    clip_bound,
    first_rows,
)
from elmo_plugin.layers.fast.compiled.kernels.lstm_cell import cell_backward, hidden_backward
from elmo_plugin.layers.fast.compiled.threads import numpy_view
from elmo_plugin.layers.fast.matmul import matmul


def backward(
    part: tuple[Direction, Activations, torch.Tensor],
) -> tuple[torch.Tensor, ...]:
    """Compute the gradients of one direction's inputs, weights and first state."""
    direction, activations, grad_outputs = part
    inputs, weights, state, batch_sizes, _ = direction
    grads = _backward_through_time(direction, activations, grad_outputs)
    before = _rows_before(batch_sizes)
    previous = torch.cat([state.hidden, activations.hidden])[before]
    return (
        matmul(grads.gates, weights.input.T),
        matmul(inputs.T, grads.gates),
        matmul(previous.T, grads.gates),
        grads.bias,
        matmul(grads.outputs.T, grads.hidden),
        grads.first_hidden,
        grads.first_cell,
    )


class _Gradients(NamedTuple):
    """Results of backpropagation through time."""

    gates: torch.Tensor
    """Before activation. Shape (words, 4 * cell_dim)."""
    bias: torch.Tensor
    """Shape (4 * cell_dim,)."""
    hidden: torch.Tensor
    """Before clipping. Shape (words, projection_dim)."""
    outputs: torch.Tensor
    """o * tanh(cell), the other factor of the projection's gradient. Shape (words, cell_dim)."""
    first_hidden: torch.Tensor
    first_cell: torch.Tensor


def _backward_through_time(
    direction: Direction, activations: Activations, grad_outputs: torch.Tensor
) -> _Gradients:
    _, weights, state, batch_sizes, (cell_clip, projection_clip) = direction
    gates, cells, hidden = activations
    grad_gates, grad_hidden = torch.empty_like(gates), torch.empty_like(hidden)
    grad_bias, outputs = torch.zeros_like(weights.bias), gates.new_empty(cells.shape)
    # A sequence that has ended has no later step: zero.
    later_hidden, later_cell = torch.zeros_like(state.hidden), torch.zeros_like(state.cell)
    of_hidden = [numpy_view(t) for t in (grad_outputs, later_hidden, hidden)]
    of_cells = [numpy_view(t) for t in (cells, later_cell)]
    written = [numpy_view(t) for t in (grad_gates, grad_bias, outputs)]
    views = [numpy_view(t) for t in (gates, grad_hidden)]

    steps = first_rows(batch_sizes)
    first = numpy_view(state.cell)
    for k, (start, rows) in reversed(list(enumerate(steps))):
        here = slice(start, start + rows)
        hidden_backward(*of_hidden, start, rows, clip_bound(projection_clip), views[1])
        grad_output = matmul(grad_hidden[here], weights.projection.T)
        before = (of_cells[0], steps[k - 1][0]) if k else (first, 0)
        cell_backward(
            *(numpy_view(grad_output), views[0], start, rows, *before, *of_cells),
            *(clip_bound(cell_clip), *written),
        )
        later_hidden[:rows] = matmul(grad_gates[here], weights.recurrent.T)
    return _Gradients(grad_gates, grad_bias, grad_hidden, outputs, later_hidden, later_cell)


def _rows_before(batch_sizes: Sequence[int]) -> torch.Tensor:
    """For each packed row, where the step before lies in [first state; packed rows]."""
    first = batch_sizes[0]
    starts = [-first] + [start for start, _ in first_rows(batch_sizes)]
    rows = [torch.arange(s, s + n) for s, n in zip(starts, batch_sizes)]
    return torch.cat(rows) + first
