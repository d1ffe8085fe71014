"""One direction of a projected LSTM layer, backward."""

from __future__ import annotations

from typing import NamedTuple

import numpy
import torch

from elmo_plugin.layers.fast.compiled.column_blocks import column_blocks
from elmo_plugin.layers.fast.compiled.direction import Activations, Direction, clip_bounds
from elmo_plugin.layers.fast.compiled.kernels.recurrence import backward_steps
from elmo_plugin.layers.fast.compiled.threads import numpy_view
from elmo_plugin.layers.fast.matmul import matmul
from elmo_plugin.layers.fast.packing import rows_before
from elmo_plugin.layers.lstm import LstmState


def backward(
    part: tuple[Direction, Activations, torch.Tensor],
) -> tuple[torch.Tensor, ...]:
    """Compute the gradients of one direction's inputs, weights and first state."""
    direction, activations, grad_outputs = part
    inputs, weights, state, batch_sizes, _ = direction
    grads, first = _backward_through_time(direction, activations, grad_outputs)
    before = rows_before(batch_sizes, inputs.device)
    previous = torch.cat([state.hidden, activations.hidden])[before]
    return (
        matmul(grads.gates, weights.input.T),
        matmul(inputs.T, grads.gates),
        matmul(previous.T, grads.gates),
        grads.bias,
        matmul(grads.outputs.T, grads.hidden),
        *first,
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


def _backward_through_time(
    direction: Direction, activations: Activations, grad_outputs: torch.Tensor
) -> tuple[_Gradients, LstmState]:
    """Return the gradients, and those of the first state."""
    _, weights, state, batch_sizes, clips = direction
    gates, cells, hidden = activations
    recurrent, projection = (column_blocks(m.T) for m in (weights.recurrent, weights.projection))
    grads = _Gradients(
        torch.empty_like(gates),
        torch.zeros_like(weights.bias),
        torch.empty_like(hidden),
        gates.new_empty(cells.shape),
    )
    # A sequence that has ended has no later step: zero.
    projection_dim = state.hidden.size(1)
    padded_dim = recurrent.size(0) * recurrent.size(2)
    later = LstmState(
        state.cell.new_zeros(len(state.cell), padded_dim), torch.zeros_like(state.cell)
    )
    backward_steps(
        *map(numpy_view, (grad_outputs, *activations, state.cell, recurrent, projection)),
        *(numpy.array(batch_sizes, numpy.int64), clip_bounds(clips)),
        *map(numpy_view, (*later, *grads)),
    )
    return grads, LstmState(later.hidden[:, :projection_dim], later.cell)
