"""The projected LSTM over packed sequences: `layers.lstm`, with a hand-written gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from elmo_plugin.layers.fast.cell import TORCH_CELL, CellFunctions
from elmo_plugin.layers.fast.directions import multiply
from elmo_plugin.layers.fast.packing import last_rows
from elmo_plugin.layers.fast.precision import clip_in_type, in_precision
from elmo_plugin.layers.fast.recurrence_backward import Forward, recurrence_backward
from elmo_plugin.layers.lstm import FORGET_BIAS, Clips, LstmState, LstmWeights

# Words whose gates are in memory at once where there is no backward pass, on CPUs and GPUs: 0.5 GB
# on GPUs in the published size. There, the end of a chunk waits for its products.
_CHUNK_WORDS = 1024
_GPU_CHUNK_WORDS = 4096


class _Options(NamedTuple):
    """Arguments of a layer's steps that are not tensors."""

    batch_sizes: list[int]
    clips: Clips
    functions: CellFunctions


def recurrence(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
    functions: CellFunctions = TORCH_CELL,
) -> tuple[torch.Tensor, LstmState]:
    """
    Compute `lstm` faster; parameters and results are the same. Only what depends on the
    step before is computed step by step, forward and backward.

    # Parameters

    precision : `torch.dtype`, optional (default = `None`)
        Type of matrix operands; the weights' own if `None`. Hidden states and stored gates have
        it, too; cell states and the arithmetic of activations have the weights' own.
    functions : `CellFunctions`, optional (default = `TORCH_CELL`)
        Implementation of a step's cells.
    """
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    # Errors of a lower precision would add up from step to step, so autocast stops here.
    with torch.autocast(inputs.device.type, enabled=False):
        clips = clips[0], clip_in_type(clips[1], precision or weights.recurrent.dtype)
        options = _Options(list(batch_sizes), clips, functions)
        # A batch of no sentences has no steps to backpropagate through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _Recurrence.apply(inputs, *weights, *state, options, precision)
            return outputs, LstmState(*final)
        return _run_in_chunks(inputs, in_precision(weights, precision), state, options)


class _Recurrence(torch.autograd.Function):
    """`_run`, whose weight gradients are one product over all steps."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.options, precision = arguments[6:]
        weights = in_precision(weights, precision)
        state = LstmState(state.hidden, state.cell.contiguous())
        gates, cells, hidden = _run(inputs, weights, state, ctx.options)
        ctx.save_for_backward(inputs, *weights, *state, hidden, gates, cells)
        last = last_rows(ctx.options.batch_sizes, inputs.device)
        final = hidden[:, last].to(state.hidden.dtype), cells[:, last]
        ctx.mark_non_differentiable(*final)
        return hidden.to(inputs.dtype), *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        weights, state = LstmWeights(*rest[:4]), LstmState(*rest[4:6])
        forward = Forward(inputs, state, *rest[6:])
        gradients = recurrence_backward(grad_outputs, forward, weights, *ctx.options)
        return *gradients, None, None


def _run_in_chunks(
    inputs: torch.Tensor, weights: LstmWeights, state: LstmState, options: _Options
) -> tuple[torch.Tensor, LstmState]:
    outputs = inputs.new_empty(2, inputs.size(1), weights.recurrent.size(1))
    # The state of the sequences that still run, and the last of those that have ended.
    state = LstmState(*(s.clone() for s in state))
    start = 0
    for batch_sizes in _chunks_of_steps(options.batch_sizes, inputs.is_cuda):
        words = slice(start, start + sum(batch_sizes))
        running = LstmState(*(s[:, : batch_sizes[0]] for s in state))
        chunk = options._replace(batch_sizes=batch_sizes)
        _, cells, hidden = _run(inputs[:, words], weights, running, chunk)
        outputs[:, words] = hidden
        last = last_rows(batch_sizes, inputs.device)
        running.hidden.copy_(hidden[:, last])
        running.cell.copy_(cells[:, last])
        start = words.stop
    return outputs, state


def _chunks_of_steps(batch_sizes: Sequence[int], on_gpu: bool) -> list[list[int]]:
    max_words = _GPU_CHUNK_WORDS if on_gpu else _CHUNK_WORDS
    chunks: list[list[int]] = []
    for rows in batch_sizes:
        if not chunks or sum(chunks[-1]) + rows > max_words:
            chunks.append([])
        chunks[-1].append(rows)
    return chunks


def _run(
    inputs: torch.Tensor, weights: LstmWeights, state: LstmState, options: _Options
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return activated gates, clipped cells, and outputs in the type of the matrices."""
    batch_sizes, (cell_clip, projection_clip), functions = options
    gates = _input_gates(inputs, weights)
    _, cell_dim, projection_dim = weights.projection.shape
    cells = state.cell.new_empty(2, inputs.size(1), cell_dim)
    cell_outputs = gates.new_empty(cells.shape)
    hidden = gates.new_empty(2, inputs.size(1), projection_dim)

    previous = LstmState(state.hidden.to(gates.dtype), state.cell)
    steps = (t.split(batch_sizes, 1) for t in (gates, cells, cell_outputs, hidden))
    for gate, cell, output, h in zip(*steps):
        rows = gate.size(1)
        gate.baddbmm_(previous.hidden[:, :rows], weights.recurrent)
        functions.cell_forward(gate, previous.cell[:, :rows], cell, output, cell_clip)
        multiply(output, weights.projection, h)
        if projection_clip is not None:
            h.clamp_(-projection_clip, projection_clip)
        previous = LstmState(h, cell)
    return gates, cells, hidden


def _input_gates(inputs: torch.Tensor, weights: LstmWeights) -> torch.Tensor:
    # The inputs' part of the gates does not wait for the recurrence: one product for all steps.
    cell_dim = weights.projection.size(1)
    bias = weights.bias.clone()
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    precision = weights.input.dtype
    return torch.baddbmm(bias.unsqueeze(1).to(precision), inputs.to(precision), weights.input)
