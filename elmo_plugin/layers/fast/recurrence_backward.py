"""Backpropagation through time for `fast.recurrence`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from elmo_plugin.layers.fast.packing import step_slices
from elmo_plugin.layers.fast.precision import product
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights

sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


class Forward(NamedTuple):
    """Tensors of the forward pass, packed by step."""

    inputs: torch.Tensor
    state: LstmState
    """Before the first step."""
    outputs: torch.Tensor
    """Clipped."""
    gates: torch.Tensor
    """Activated."""
    cells: torch.Tensor
    """Clipped."""


class _Gradients(NamedTuple):
    """Filled while going back in time, packed by step."""

    hidden: torch.Tensor
    """Gradient of the outputs; on return, of the outputs before clipping."""
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
) -> tuple[torch.Tensor, ...]:
    """Return the gradients of inputs, weights and first state, in the order of these."""
    inputs, state, outputs, gates, cells = forward
    grads = _Gradients(
        grad_outputs.clone(),
        torch.empty_like(gates),
        torch.empty_like(cells, dtype=gates.dtype),
    )
    first = _backward_through_time(grads, forward, weights, batch_sizes, clips)
    before = _rows_before(batch_sizes, inputs.device)
    previous_hidden = torch.cat([state.hidden, outputs], 1)[:, before]
    grad_weights = LstmWeights(
        input=product(inputs.mT, grads.gates),
        recurrent=product(previous_hidden.mT, grads.gates),
        bias=product(inputs.new_ones(2, 1, inputs.size(1)), grads.gates).squeeze(1),
        projection=product(grads.hidden.mT, grads.cell_outputs).mT,
    )
    grad_inputs = torch.bmm(grads.gates, weights.input.mT).to(inputs.dtype)
    return grad_inputs, *grad_weights, *first


def _rows_before(batch_sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """For each packed row, the row of the step before in [initial state; packed rows]."""
    starts = [-batch_sizes[0]] + [step.start for step in step_slices(batch_sizes)]
    rows = [torch.arange(s, s + n) for s, n in zip(starts, batch_sizes)]
    return torch.cat(rows).to(device) + batch_sizes[0]


def _backward_through_time(
    grads: _Gradients,
    forward: Forward,
    weights: LstmWeights,
    batch_sizes: Sequence[int],
    clips: Clips,
) -> LstmState:
    """Fill `grads`; return the gradient of the first state."""
    _, state, outputs, gates, cells = forward
    steps = step_slices(batch_sizes)
    later = LstmState(outputs[:, :0], cells[:, :0])
    for k, step in reversed(list(enumerate(steps))):
        rows, running = step.stop - step.start, later.hidden.size(1)
        i, g, f, o = gates[:, step].to(cells.dtype).chunk(4, dim=-1)
        tanh_cell = cells[:, step].tanh()
        previous = cells[:, steps[k - 1].start :][:, :rows] if k else state.cell

        hidden = grads.hidden[:, step]
        hidden[:, :running] += later.hidden  # shorter sequences have no next step
        hidden.copy_(_clip_backward(hidden, outputs[:, step], clips[1]))
        cell_output = product(hidden, weights.projection.mT)
        cell = tanh_backward(cell_output * o, tanh_cell)
        cell[:, :running] += later.cell
        cell = _clip_backward(cell, cells[:, step], clips[0])

        grad_i, grad_g, grad_f, grad_o = grads.gates[:, step].chunk(4, dim=-1)
        grad_i.copy_(sigmoid_backward(cell * g, i))
        grad_g.copy_(tanh_backward(cell * i, g))
        grad_f.copy_(sigmoid_backward(cell * previous, f))
        grad_o.copy_(sigmoid_backward(cell_output * tanh_cell, o))
        grads.cell_outputs[:, step] = tanh_cell.mul_(o)
        grad_hidden = torch.bmm(grads.gates[:, step], weights.recurrent.mT)
        later = LstmState(grad_hidden.to(outputs.dtype), cell.mul_(f))
    return later


def _clip_backward(
    gradient: torch.Tensor, clipped: torch.Tensor, clip: float | None
) -> torch.Tensor:
    # A value at its bound has been clipped: no gradient passes.
    if clip is None:
        return gradient
    return torch.ops.aten.hardtanh_backward(gradient, clipped, -clip, clip)
