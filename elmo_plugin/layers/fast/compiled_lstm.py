"""The recurrence of a projected LSTM layer with compiled cells, a thread for each direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
import torch

from elmo_plugin.layers.fast.kernels.lstm_cell import cell_backward, cell_forward, hidden_backward
from elmo_plugin.layers.fast.recurrence import FORGET_BIAS, Clips, LstmState, LstmWeights
from elmo_plugin.layers.fast.threads import numpy_view, run_parts

# Words whose gates are held in memory at once when no backward pass will need them.
_WORDS_AT_ONCE = 1024


class _Direction(NamedTuple):
    """One direction's inputs, weights (of the products' type) and states."""

    inputs: torch.Tensor
    """Shape (words, input_dim)."""
    weights: LstmWeights
    state: LstmState
    batch_sizes: Sequence[int]
    clips: Clips


class _Activations(NamedTuple):
    """What a direction computes, and its gradient needs. Gates are activated."""

    gates: torch.Tensor
    """Of the last group of steps only where no gradient is needed. Shape (words, 4 * cell_dim)."""
    cells: torch.Tensor
    """Shape (words, cell_dim)."""
    hidden: torch.Tensor
    """Of the products' type. Shape (words, projection_dim)."""


def bound(clip: float | None) -> numpy.float32:
    return numpy.float32(numpy.inf if clip is None else clip)


def compiled_recurrence(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    """As `recurrence`, of float32 tensors on the CPU."""
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    with torch.autocast("cpu", enabled=False):
        if differentiable and torch.is_grad_enabled():
            outputs, *final = _CompiledRecurrence.apply(
                inputs, *weights, *state, list(batch_sizes), clips, precision
            )
            return outputs, LstmState(*final)
        directions = _directions(inputs, weights, state, batch_sizes, clips, precision)
        activations = run_parts(_run_in_groups, directions)
        return _outputs(inputs, activations), _final_state(activations, state, batch_sizes)


def _directions(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None,
) -> list[_Direction]:
    matrices = (inputs, weights.input, weights.recurrent, weights.projection)
    inputs, kernel, recurrent, projection = (m.to(precision or m.dtype) for m in matrices)
    bias = weights.bias.clone()
    cell_dim = projection.size(1)
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    return [
        _Direction(
            inputs[d],
            LstmWeights(kernel[d], recurrent[d], bias[d], projection[d]),
            LstmState(state.hidden[d].to(inputs.dtype), state.cell[d].contiguous()),
            batch_sizes,
            clips,
        )
        for d in range(2)
    ]


def _outputs(inputs: torch.Tensor, activations: Sequence[_Activations]) -> torch.Tensor:
    return torch.stack([a.hidden for a in activations]).to(inputs.dtype)


def _final_state(
    activations: Sequence[_Activations], state: LstmState, batch_sizes: Sequence[int]
) -> LstmState:
    """The state of each sequence after its own last step."""
    last = _last_rows(batch_sizes)
    if not len(last):
        return state
    return LstmState(
        torch.stack([a.hidden[last] for a in activations]).to(state.hidden.dtype),
        torch.stack([a.cells[last] for a in activations]),
    )


def _last_rows(batch_sizes: Sequence[int]) -> torch.Tensor:
    """The packed row of each sequence's last step."""
    last = torch.zeros(batch_sizes[0] if batch_sizes else 0, dtype=torch.long)
    start = 0
    for rows in batch_sizes:
        last[:rows] = torch.arange(start, start + rows)
        start += rows
    return last


def _steps(batch_sizes: Sequence[int]) -> list[tuple[int, int]]:
    """First row and number of rows of each step."""
    starts = [0]
    for rows in batch_sizes:
        starts.append(starts[-1] + rows)
    return list(zip(starts, batch_sizes))


def _run(direction: _Direction) -> _Activations:
    """All steps of one direction, with all gates in memory."""
    inputs, weights, state, batch_sizes, clips = direction
    cell_dim, projection_dim = weights.projection.shape
    # What the inputs give to the gates does not wait for the recurrence: one product for all steps.
    gates = torch.mm(inputs, weights.input)
    cells = gates.new_empty(len(inputs), cell_dim, dtype=torch.float32)
    outputs = gates.new_empty(len(inputs), cell_dim)
    hidden = gates.new_empty(len(inputs), projection_dim)

    cell_clip, projection_clip = clips
    tensors = (gates, weights.bias, cells, outputs)
    gates_view, bias, cells_view, outputs_view = map(numpy_view, tensors)
    previous, before, before_start = state.hidden, numpy_view(state.cell), 0
    for start, rows in _steps(batch_sizes):
        here = slice(start, start + rows)
        gates[here].addmm_(previous[:rows], weights.recurrent)
        cell_forward(
            *(gates_view, bias, start, rows, before, before_start),
            *(bound(cell_clip), cells_view, outputs_view),
        )
        previous = torch.mm(outputs[here], weights.projection, out=hidden[here])
        if projection_clip is not None:
            previous.clamp_(-projection_clip, projection_clip)
        before, before_start = cells_view, start
    return _Activations(gates, cells, hidden)


def _run_in_groups(direction: _Direction) -> _Activations:
    """All steps of one direction, group after group, so that few gates are in memory."""
    cells, hidden, start = [], [], 0
    state = direction.state
    gates = direction.inputs.new_empty(0)
    for group in _groups(direction.batch_sizes):
        words = sum(group)
        part = direction.inputs[start : start + words]
        gates, *found = _run(direction._replace(inputs=part, state=state, batch_sizes=group))
        cells.append(found[0])
        hidden.append(found[1])
        state = LstmState(found[1][words - group[-1] :], found[0][words - group[-1] :])
        start += words
    if not cells:
        return _run(direction)
    return _Activations(gates, torch.cat(cells), torch.cat(hidden))


def _groups(batch_sizes: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for rows in batch_sizes:
        if not groups or sum(groups[-1]) + rows > _WORDS_AT_ONCE:
            groups.append([])
        groups[-1].append(rows)
    return groups


class _CompiledRecurrence(torch.autograd.Function):
    """Both directions, and their gradients by hand."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips, ctx.precision = arguments[6:]
        directions = _directions(inputs, weights, state, *arguments[6:])
        activations = run_parts(_run, directions)
        final = _final_state(activations, state, ctx.batch_sizes)
        ctx.save_for_backward(inputs, *weights, *state, *activations[0], *activations[1])
        ctx.mark_non_differentiable(*final)
        return _outputs(inputs, activations), *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        weights, state = LstmWeights(*rest[:4]), LstmState(*rest[4:6])
        activations = _Activations(*rest[6:9]), _Activations(*rest[9:12])
        directions = _directions(
            inputs, weights, state, ctx.batch_sizes, ctx.clips, ctx.precision
        )
        parts = list(zip(directions, activations, grad_outputs.contiguous()))
        grads = [torch.stack(both) for both in zip(*run_parts(_backward, parts))]
        return *(g.to(inputs.dtype) for g in grads), None, None, None


def _backward(
    part: tuple[_Direction, _Activations, torch.Tensor],
) -> tuple[torch.Tensor, ...]:
    """Gradients of one direction's inputs, weights and first state."""
    direction, activations, grad_outputs = part
    inputs, weights, state, batch_sizes, _ = direction
    grads = _backward_through_time(direction, activations, grad_outputs)
    before = _rows_before(batch_sizes)
    previous = torch.cat([state.hidden, activations.hidden])[before]
    return (
        grads.gates @ weights.input.T,
        inputs.T @ grads.gates,
        previous.T @ grads.gates,
        grads.bias,
        grads.outputs.T @ grads.hidden,
        grads.first_hidden,
        grads.first_cell,
    )


class _Gradients(NamedTuple):
    """What a pass back in time gives, and the other factor of the projection's gradient."""

    gates: torch.Tensor
    """Before activation. Shape (words, 4 * cell_dim)."""
    bias: torch.Tensor
    """Shape (4 * cell_dim,)."""
    hidden: torch.Tensor
    """Before clipping. Shape (words, projection_dim)."""
    outputs: torch.Tensor
    """o * tanh(cell), no gradient. Shape (words, cell_dim)."""
    first_hidden: torch.Tensor
    first_cell: torch.Tensor


def _backward_through_time(
    direction: _Direction, activations: _Activations, grad_outputs: torch.Tensor
) -> _Gradients:
    _, weights, state, batch_sizes, (cell_clip, projection_clip) = direction
    gates, cells, hidden = activations
    grad_gates, grad_hidden = torch.empty_like(gates), torch.empty_like(hidden)
    grad_bias, outputs = torch.zeros_like(weights.bias), gates.new_empty(cells.shape)
    # Of a sequence that has ended there is no later step: zero.
    later_hidden, later_cell = torch.zeros_like(state.hidden), torch.zeros_like(state.cell)
    grad_output = gates.new_empty(state.cell.shape)
    tensors = (grad_outputs, later_hidden, hidden, grad_hidden)
    outer, later_hidden_view, hidden_view, grad_hidden_view = map(numpy_view, tensors)
    tensors = (grad_output, gates, cells, later_cell, grad_gates, grad_bias, outputs)
    inner, gates_view, cells_view, later_cell_view, *written = map(numpy_view, tensors)

    steps = _steps(batch_sizes)
    first = numpy_view(state.cell)
    for k, (start, rows) in reversed(list(enumerate(steps))):
        here = slice(start, start + rows)
        hidden_backward(
            *(outer, later_hidden_view, hidden_view, start, rows),
            *(bound(projection_clip), grad_hidden_view),
        )
        torch.mm(grad_hidden[here], weights.projection.T, out=grad_output[:rows])
        before, before_start = (cells_view, steps[k - 1][0]) if k else (first, 0)
        cell_backward(
            *(inner, gates_view, start, rows, before, before_start),
            *(cells_view, later_cell_view, bound(cell_clip), *written),
        )
        torch.mm(grad_gates[here], weights.recurrent.T, out=later_hidden[:rows])
    return _Gradients(grad_gates, grad_bias, grad_hidden, outputs, later_hidden, later_cell)


def _rows_before(batch_sizes: Sequence[int]) -> torch.Tensor:
    """For each packed row, where the step before lies in [first state; packed rows]."""
    first = batch_sizes[0]
    starts = [-first] + [start for start, _ in _steps(batch_sizes)]
    rows = [torch.arange(s, s + n) for s, n in zip(starts, batch_sizes)]
    return torch.cat(rows) + first
