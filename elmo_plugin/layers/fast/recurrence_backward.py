"""Backpropagation through time for `fast.recurrence`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from elmo_plugin.layers.fast.cell import CellFunctions
from elmo_plugin.layers.fast.directions import multiply
from elmo_plugin.layers.fast.packing import rows_before
from elmo_plugin.layers.fast.precision import product
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights


class Forward(NamedTuple):
    """Tensors of the forward pass, packed by step."""

    inputs: torch.Tensor
    state: LstmState
    """Before the first step."""
    hidden: torch.Tensor
    """Clipped outputs, in the type of the matrices."""
    gates: torch.Tensor
    """After their activations, in the type of the matrices."""
    cells: torch.Tensor
    """Clipped."""


class _Gradients(NamedTuple):
    """Filled while going back in time, packed by step, in the type of the matrices."""

    hidden: torch.Tensor
    """Gradient of the outputs before clipping."""
    gates: torch.Tensor
    """Gradient of the gates before activation."""
    cell_outputs: torch.Tensor
    """o * tanh(c), the other factor of the projection's gradient."""


def recurrence_backward(
    grad_outputs: torch.Tensor,
    forward: Forward,
    weights: LstmWeights,
    batch_sizes: Sequence[int],
    clips: Clips,
    functions: CellFunctions,
) -> tuple[torch.Tensor, ...]:
    """Return the gradients of inputs, weights and first state, in the order of these."""
    inputs, state, hidden, gates, cells = forward
    grads = _Gradients(
        torch.empty_like(hidden),
        torch.empty_like(gates),
        torch.empty_like(cells, dtype=gates.dtype),
    )
    first = _backward_through_time(
        grad_outputs.contiguous(), grads, forward, weights, batch_sizes, clips, functions
    )
    before = rows_before(batch_sizes, inputs.device)
    previous_hidden = torch.cat([state.hidden.to(hidden.dtype), hidden], 1)[:, before]
    grad_weights = (
        product(inputs.mT, grads.gates),
        torch.bmm(previous_hidden.mT, grads.gates),
        product(inputs.new_ones(2, 1, inputs.size(1)), grads.gates).squeeze(1),
        torch.bmm(grads.cell_outputs.mT, grads.hidden),
    )
    grad_inputs = torch.bmm(grads.gates, weights.input.mT)
    return tuple(g.to(inputs.dtype) for g in (grad_inputs, *grad_weights, *first))


def _backward_through_time(
    grad_outputs: torch.Tensor,
    grads: _Gradients,
    forward: Forward,
    weights: LstmWeights,
    batch_sizes: Sequence[int],
    clips: Clips,
    functions: CellFunctions,
) -> LstmState:
    """Fill `grads`; return the gradient of the first state."""
    _, state, hidden, gates, cells = forward
    # Gradients from the next step: zero for sequences that have ended.
    later = LstmState(grads.hidden.new_zeros(state.hidden.shape), torch.zeros_like(state.cell))
    grad_cell_outputs = grads.gates.new_empty(state.cell.shape)

    packed = (grad_outputs, hidden, gates, cells, *grads)
    steps = list(zip(*(t.split(list(batch_sizes), 1) for t in packed)))
    previous_cells = [state.cell, *(step[3] for step in steps)]
    for step, previous in reversed(list(zip(steps, previous_cells))):
        grad_output, h, gate, cell, grad_hidden, grad_gates, cell_output = step
        rows = gate.size(1)
        grad_cell_output = grad_cell_outputs[:, :rows]
        functions.hidden_backward(grad_output, later.hidden[:, :rows], h, grad_hidden, clips[1])
        torch.bmm(grad_hidden, weights.projection.mT, out=grad_cell_output)
        functions.cell_backward(
            *(grad_cell_output, gate, cell, previous[:, :rows], later.cell[:, :rows]),
            *(grad_gates, cell_output, clips[0]),
        )
        multiply(grad_gates, weights.recurrent.mT, later.hidden[:, :rows])
    return later
