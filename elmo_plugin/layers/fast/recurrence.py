"""The recurrence of a projected LSTM layer and its gradient, over packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

# Added to the forget gate before its sigmoid, as in TensorFlow's cell: the stored bias is without.
FORGET_BIAS = 1.0

# Words whose gates are held in memory at once when no backward pass will need them.
_WORDS_AT_ONCE = 1024

Clips = tuple[float | None, float | None]
"""Bounds on the absolute values of cell and output; `None` for no bound."""

sigmoid_backward = torch.ops.aten.sigmoid_backward
tanh_backward = torch.ops.aten.tanh_backward


class LstmState(NamedTuple):
    """What a layer hands from one step to the next."""

    hidden: torch.Tensor
    """Shape (2, batch, projection_dim)."""
    cell: torch.Tensor
    """Shape (2, batch, cell_dim)."""


class LstmWeights(NamedTuple):
    """Forward direction first. Gates lie in bilm-tf's order: input, candidate, forget, output."""

    input: torch.Tensor
    """Shape (2, input_dim, 4 * cell_dim)."""
    recurrent: torch.Tensor
    """Shape (2, projection_dim, 4 * cell_dim)."""
    bias: torch.Tensor
    """Shape (2, 4 * cell_dim)."""
    projection: torch.Tensor
    """Shape (2, cell_dim, projection_dim)."""


def recurrence(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    """
    Both directions of one layer over packed sequences, see `ProjectedLstm.forward`. Only what
    depends on the step before is computed step by step, forward and backward alike. Matrix
    products are of type `precision`, the weights' own if `None`; sums over time, states and
    activations are always of the weights' own.
    """
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    # Errors of a lower precision would add up from step to step, so autocast stops here.
    with torch.autocast(inputs.device.type, enabled=False):
        # A batch of no sentences has no steps to go back through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _Recurrence.apply(
                inputs, *weights, *state, list(batch_sizes), clips, precision
            )
            return outputs, LstmState(*final)
        weights = _in_precision(weights, precision)
        outputs, state, _, _ = _run(inputs, weights, state, _groups_of_steps(batch_sizes), clips)
        return outputs, state


def _in_precision(weights: LstmWeights, precision: torch.dtype | None) -> LstmWeights:
    if precision is None:
        return weights
    matrices = (weights.input, weights.recurrent, weights.projection)
    kernel, recurrent, projection = (matrix.to(precision) for matrix in matrices)
    return LstmWeights(kernel, recurrent, weights.bias, projection)


def _product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """In the type of `right`, accumulated in float32; the result in the type of `left`."""
    return torch.bmm(left.to(right.dtype), right).to(left.dtype)


def _groups_of_steps(batch_sizes: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for rows in batch_sizes:
        if not groups or sum(groups[-1]) + rows > _WORDS_AT_ONCE:
            groups.append([])
        groups[-1].append(rows)
    return groups


def _run(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    groups: list[list[int]],
    clips: Clips,
) -> tuple[torch.Tensor, LstmState, torch.Tensor, torch.Tensor]:
    """Outputs, last state, and the activated gates and memory cells of the last group of steps."""
    final = LstmState(*(s.clone() for s in state))
    outputs = inputs.new_empty(2, inputs.size(1), weights.recurrent.size(1))
    gates = cells = inputs.new_empty(0)
    running = state
    start = 0
    for steps in groups:
        gates = _input_gates(inputs[:, start : start + sum(steps)], weights)
        cells = inputs.new_empty(2, gates.size(1), weights.projection.size(1))
        for step in _slices(steps):
            running = _keep(running, step.stop - step.start, final)
            running = _step(gates[:, step], running, weights, clips)
            outputs[:, start + step.start : start + step.stop] = running.hidden
            cells[:, step] = running.cell
        start += gates.size(1)
    _keep(running, 0, final)
    return outputs, final, gates, cells


def _keep(running: LstmState, rows: int, final: LstmState) -> LstmState:
    """The first `rows` sequences go on; the states of the others are final."""
    ended = slice(rows, running.hidden.size(1))
    if ended.stop > rows:
        final.hidden[:, ended] = running.hidden[:, ended]
        final.cell[:, ended] = running.cell[:, ended]
    return LstmState(running.hidden[:, :rows], running.cell[:, :rows])


def _input_gates(inputs: torch.Tensor, weights: LstmWeights) -> torch.Tensor:
    # What the inputs give to the gates does not wait for the recurrence: one product for all steps.
    cell_dim = weights.projection.size(1)
    bias = weights.bias.clone()
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    precision = weights.input.dtype
    return torch.baddbmm(bias.unsqueeze(1).to(precision), inputs.to(precision), weights.input)


def _slices(batch_sizes: Sequence[int]) -> list[slice]:
    slices, start = [], 0
    for rows in batch_sizes:
        slices.append(slice(start, start + rows))
        start += rows
    return slices


def _step(
    gates: torch.Tensor, previous: LstmState, weights: LstmWeights, clips: Clips
) -> LstmState:
    # Shape of gates: (2, rows, 4 * cell_dim); activated in place.
    gates.baddbmm_(previous.hidden.to(gates.dtype), weights.recurrent)
    activated = gates.to(previous.cell.dtype)
    i, j, f, o = activated.chunk(4, dim=-1)
    i.sigmoid_()
    j.tanh_()
    f.sigmoid_()
    o.sigmoid_()
    if activated is not gates:
        gates.copy_(activated)
    cell_clip, projection_clip = clips
    cell = (f * previous.cell).addcmul_(i, j)
    if cell_clip is not None:
        cell.clamp_(-cell_clip, cell_clip)
    hidden = _product(o * cell.tanh(), weights.projection)
    if projection_clip is not None:
        hidden.clamp_(-projection_clip, projection_clip)
    return LstmState(hidden, cell)


class _Recurrence(torch.autograd.Function):
    """`_run` with its gradient by hand: weight gradients are one product over all steps."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips, precision = arguments[6:]
        weights = _in_precision(weights, precision)
        outputs, final, gates, cells = _run(inputs, weights, state, [ctx.batch_sizes], ctx.clips)
        ctx.save_for_backward(inputs, *weights, *state, outputs, gates, cells)
        ctx.mark_non_differentiable(*final)
        return outputs, *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        weights, state = LstmWeights(*rest[:4]), LstmState(*rest[4:6])
        outputs, gates, cells = rest[6:]
        grads = _Gradients(
            grad_outputs.clone(),
            torch.empty_like(gates),
            torch.empty_like(cells, dtype=gates.dtype),
        )
        first = _backward_through_time(
            grads, (outputs, gates, cells), state.cell, weights, ctx.batch_sizes, ctx.clips
        )
        before = _rows_before(ctx.batch_sizes, inputs.device)
        previous_hidden = torch.cat([state.hidden, outputs], 1)[:, before]
        grad_weights = LstmWeights(
            input=_product(inputs.mT, grads.gates),
            recurrent=_product(previous_hidden.mT, grads.gates),
            bias=_product(inputs.new_ones(2, 1, inputs.size(1)), grads.gates).squeeze(1),
            projection=_product(grads.hidden.mT, grads.cell_outputs).mT,
        )
        grad_inputs = torch.bmm(grads.gates, weights.input.mT).to(inputs.dtype)
        return grad_inputs, *grad_weights, *first, None, None, None


class _Gradients(NamedTuple):
    """What a pass back in time fills: two gradients, and the other factor of the projection's."""

    hidden: torch.Tensor
    """Of the outputs; on return of the outputs before clipping."""
    gates: torch.Tensor
    """Of the gates before activation."""
    cell_outputs: torch.Tensor
    """o * tanh(c), what is projected."""


def _rows_before(batch_sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """For each packed row, where the step before lies in [initial state; packed rows]."""
    starts = [-batch_sizes[0]] + [step.start for step in _slices(batch_sizes)]
    rows = [torch.arange(s, s + n) for s, n in zip(starts, batch_sizes)]
    return torch.cat(rows).to(device) + batch_sizes[0]


def _backward_through_time(
    grads: _Gradients,
    saved: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    first_cell: torch.Tensor,
    weights: LstmWeights,
    batch_sizes: Sequence[int],
    clips: Clips,
) -> LstmState:
    """Fills `grads`; returns the gradient of the first state."""
    outputs, gates, cells = saved
    steps = _slices(batch_sizes)
    later = LstmState(outputs[:, :0], cells[:, :0])
    for k, step in reversed(list(enumerate(steps))):
        rows, running = step.stop - step.start, later.hidden.size(1)
        i, j, f, o = gates[:, step].to(cells.dtype).chunk(4, dim=-1)
        exposed = cells[:, step].tanh()
        previous = cells[:, steps[k - 1].start :][:, :rows] if k else first_cell

        hidden = grads.hidden[:, step]
        hidden[:, :running] += later.hidden  # shorter sequences have no next step
        hidden.copy_(_clip_backward(hidden, outputs[:, step], clips[1]))
        grad_exposed = _product(hidden, weights.projection.mT)
        cell = tanh_backward(grad_exposed * o, exposed)
        cell[:, :running] += later.cell
        cell = _clip_backward(cell, cells[:, step], clips[0])

        grad_i, grad_j, grad_f, grad_o = grads.gates[:, step].chunk(4, dim=-1)
        grad_i.copy_(sigmoid_backward(cell * j, i))
        grad_j.copy_(tanh_backward(cell * i, j))
        grad_f.copy_(sigmoid_backward(cell * previous, f))
        grad_o.copy_(sigmoid_backward(grad_exposed * exposed, o))
        grads.cell_outputs[:, step] = exposed.mul_(o)
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
