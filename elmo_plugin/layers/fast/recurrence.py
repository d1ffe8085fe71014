"""The projected LSTM over packed sequences: `layers.lstm`, with a hand-written gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from elmo_plugin.layers.fast.packing import step_slices
from elmo_plugin.layers.fast.precision import in_precision, product
from elmo_plugin.layers.fast.recurrence_backward import Forward, recurrence_backward
from elmo_plugin.layers.lstm import FORGET_BIAS, Clips, LstmState, LstmWeights

# Words whose gates are in memory at once where there is no backward pass.
_CHUNK_WORDS = 1024


def recurrence(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    """
    Compute what `lstm` computes, whose parameters and results these are. Only what depends on the
    step before is computed step by step, forward and backward.

    # Parameters

    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands; the weights' own if `None`. Sums over time, states and activations
        always have the weights' own.
    """
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    # Errors of a lower precision would add up from step to step, so autocast stops here.
    with torch.autocast(inputs.device.type, enabled=False):
        # A batch of no sentences has no steps to backpropagate through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _Recurrence.apply(
                inputs, *weights, *state, list(batch_sizes), clips, precision
            )
            return outputs, LstmState(*final)
        weights = in_precision(weights, precision)
        outputs, state, _, _ = _run(inputs, weights, state, _chunks_of_steps(batch_sizes), clips)
        return outputs, state


class _Recurrence(torch.autograd.Function):
    """`_run`, whose weight gradients are one product over all steps."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips, precision = arguments[6:]
        weights = in_precision(weights, precision)
        outputs, final, gates, cells = _run(inputs, weights, state, [ctx.batch_sizes], ctx.clips)
        ctx.save_for_backward(inputs, *weights, *state, outputs, gates, cells)
        ctx.mark_non_differentiable(*final)
        return outputs, *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        weights, state = LstmWeights(*rest[:4]), LstmState(*rest[4:6])
        forward = Forward(inputs, state, *rest[6:])
        gradients = recurrence_backward(grad_outputs, forward, weights, ctx.batch_sizes, ctx.clips)
        return *gradients, None, None, None


def _chunks_of_steps(batch_sizes: Sequence[int]) -> list[list[int]]:
    chunks: list[list[int]] = []
    for rows in batch_sizes:
        if not chunks or sum(chunks[-1]) + rows > _CHUNK_WORDS:
            chunks.append([])
        chunks[-1].append(rows)
    return chunks


def _run(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    chunks: list[list[int]],
    clips: Clips,
) -> tuple[torch.Tensor, LstmState, torch.Tensor, torch.Tensor]:
    """Return outputs, last state, and activated gates and cells of the last chunk of steps."""
    final = LstmState(*(s.clone() for s in state))
    outputs = inputs.new_empty(2, inputs.size(1), weights.recurrent.size(1))
    gates = cells = inputs.new_empty(0)
    running = state
    start = 0
    for batch_sizes in chunks:
        gates = _input_gates(inputs[:, start : start + sum(batch_sizes)], weights)
        cells = inputs.new_empty(2, gates.size(1), weights.projection.size(1))
        for step in step_slices(batch_sizes):
            running = _drop_ended(running, step.stop - step.start, final)
            running = _step(gates[:, step], running, weights, clips)
            outputs[:, start + step.start : start + step.stop] = running.hidden
            cells[:, step] = running.cell
        start += gates.size(1)
    _drop_ended(running, 0, final)
    return outputs, final, gates, cells


def _drop_ended(running: LstmState, rows: int, final: LstmState) -> LstmState:
    """Keep the first `rows` sequences; copy the states of the others to `final`."""
    ended = slice(rows, running.hidden.size(1))
    if ended.stop > rows:
        final.hidden[:, ended] = running.hidden[:, ended]
        final.cell[:, ended] = running.cell[:, ended]
    return LstmState(running.hidden[:, :rows], running.cell[:, :rows])


def _input_gates(inputs: torch.Tensor, weights: LstmWeights) -> torch.Tensor:
    # The inputs' part of the gates does not wait for the recurrence: one product for all steps.
    cell_dim = weights.projection.size(1)
    bias = weights.bias.clone()
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    precision = weights.input.dtype
    return torch.baddbmm(bias.unsqueeze(1).to(precision), inputs.to(precision), weights.input)


def _step(
    gates: torch.Tensor, previous: LstmState, weights: LstmWeights, clips: Clips
) -> LstmState:
    # Shape of gates: (2, rows, 4 * cell_dim); activated in place.
    gates.baddbmm_(previous.hidden.to(gates.dtype), weights.recurrent)
    activated = gates.to(previous.cell.dtype)
    i, g, f, o = activated.chunk(4, dim=-1)
    i.sigmoid_()
    g.tanh_()
    f.sigmoid_()
    o.sigmoid_()
    if activated is not gates:
        gates.copy_(activated)
    cell_clip, projection_clip = clips
    cell = (f * previous.cell).addcmul_(i, g)
    if cell_clip is not None:
        cell.clamp_(-cell_clip, cell_clip)
    hidden = product(o * cell.tanh(), weights.projection)
    if projection_clip is not None:
        hidden.clamp_(-projection_clip, projection_clip)
    return LstmState(hidden, cell)
