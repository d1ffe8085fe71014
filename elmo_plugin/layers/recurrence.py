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
) -> tuple[torch.Tensor, LstmState]:
    """
    Both directions of one layer over packed sequences, see `ProjectedLstm.forward`. Only what
    depends on the step before is computed step by step, forward and backward alike.
    """
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    # Errors of a lower precision would add up from step to step, so autocast stops here.
    with torch.autocast(inputs.device.type, enabled=False):
        # A batch of no sentences has no steps to go back through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _Recurrence.apply(inputs, *weights, *state, list(batch_sizes), clips)
            return outputs, LstmState(*final)
        outputs, state, _, _ = _run(inputs, weights, state, _groups_of_steps(batch_sizes), clips)
        return outputs, state


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
    start = 0
    for steps in groups:
        gates = _input_gates(inputs[:, start : start + sum(steps)], weights)
        cells = gates.new_empty(2, gates.size(1), weights.projection.size(1))
        for step in _slices(steps):
            rows = step.stop - step.start
            previous = LstmState(final.hidden[:, :rows], final.cell[:, :rows])
            hidden, cell = _step(gates[:, step], previous, weights, clips)
            outputs[:, start + step.start : start + step.stop] = hidden
            cells[:, step] = cell
            final.hidden[:, :rows] = hidden
            final.cell[:, :rows] = cell
        start += gates.size(1)
    return outputs, final, gates, cells


def _input_gates(inputs: torch.Tensor, weights: LstmWeights) -> torch.Tensor:
    # What the inputs give to the gates does not wait for the recurrence: one product for all steps.
    cell_dim = weights.projection.size(1)
    bias = weights.bias.clone()
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    return torch.baddbmm(bias.unsqueeze(1), inputs, weights.input)


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
    gates.baddbmm_(previous.hidden, weights.recurrent)
    i, j, f, o = gates.chunk(4, dim=-1)
    i.sigmoid_()
    j.tanh_()
    f.sigmoid_()
    o.sigmoid_()
    cell_clip, projection_clip = clips
    cell = torch.addcmul(f * previous.cell, i, j)
    if cell_clip is not None:
        cell.clamp_(-cell_clip, cell_clip)
    hidden = torch.bmm(o * cell.tanh(), weights.projection)
    if projection_clip is not None:
        hidden.clamp_(-projection_clip, projection_clip)
    return LstmState(hidden, cell)


class _Recurrence(torch.autograd.Function):
    """`_run` with its gradient by hand: weight gradients are one product over all steps."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips = arguments[6:]
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
        before = _rows_before(ctx.batch_sizes, inputs.device)
        previous = LstmState(
            torch.cat([state.hidden, outputs], 1)[:, before],
            torch.cat([state.cell, cells], 1)[:, before],
        )
        saved = _Saved(outputs, gates, cells, previous.cell)
        grad_gates, grad_hidden, first = _backward_through_time(
            grad_outputs, saved, weights, ctx.batch_sizes, ctx.clips
        )
        exposed = gates.chunk(4, -1)[3] * cells.tanh()
        grad_weights = LstmWeights(
            input=inputs.mT @ grad_gates,
            recurrent=previous.hidden.mT @ grad_gates,
            bias=grad_gates.sum(1),
            projection=exposed.mT @ grad_hidden,
        )
        return grad_gates @ weights.input.mT, *grad_weights, *first, None, None


class _Saved(NamedTuple):
    outputs: torch.Tensor
    gates: torch.Tensor
    cells: torch.Tensor
    previous_cells: torch.Tensor


def _rows_before(batch_sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """For each packed row, where the step before lies in [initial state; packed rows]."""
    starts = [-batch_sizes[0]] + [step.start for step in _slices(batch_sizes)]
    rows = [torch.arange(s, s + n) for s, n in zip(starts, batch_sizes)]
    return torch.cat(rows).to(device) + batch_sizes[0]


def _backward_through_time(
    grad_outputs: torch.Tensor,
    saved: _Saved,
    weights: LstmWeights,
    batch_sizes: Sequence[int],
    clips: Clips,
) -> tuple[torch.Tensor, torch.Tensor, LstmState]:
    """Gradients of the gates' sums, of the outputs before clipping, and of the first state."""
    i, j, f, o = saved.gates.chunk(4, dim=-1)
    exposed_cells = saved.cells.tanh()
    # How much each gate's sum moves the cell (input, candidate, forget) and the output (output).
    slopes = torch.stack(
        [
            j * i * (1 - i),
            i * (1 - j * j),
            saved.previous_cells * f * (1 - f),
            exposed_cells * o * (1 - o),
        ],
        dim=2,
    )  # Shape: (2, words, 4, cell_dim)
    cell_slope = o * (1 - exposed_cells * exposed_cells)
    cell_free = _inside(saved.cells, clips[0])
    output_free = _inside(saved.outputs, clips[1])

    grad_hidden = grad_outputs * output_free
    grad_gates = torch.empty_like(slopes)
    later = LstmState(grad_hidden[:, :0], saved.cells[:, :0])
    for step in reversed(_slices(batch_sizes)):
        running = later.hidden.size(1)  # sequences that have a next step
        continued = slice(step.start, step.start + running)
        grad_hidden[:, continued] += later.hidden * output_free[:, continued]
        grad_exposed = torch.bmm(grad_hidden[:, step], weights.projection.mT)
        grad_cell = grad_exposed * cell_slope[:, step]
        grad_cell[:, :running] += later.cell
        grad_cell *= cell_free[:, step]
        grad_gates[:, step, :3] = grad_cell.unsqueeze(2) * slopes[:, step, :3]
        grad_gates[:, step, 3] = grad_exposed * slopes[:, step, 3]
        later = LstmState(
            torch.bmm(grad_gates[:, step].flatten(2), weights.recurrent.mT),
            grad_cell * f[:, step],
        )
    return grad_gates.flatten(2), grad_hidden, later


def _inside(values: torch.Tensor, clip: float | None) -> torch.Tensor:
    # A value at its bound has been clipped: no gradient passes.
    return torch.ones_like(values) if clip is None else (values.abs() < clip).to(values.dtype)
