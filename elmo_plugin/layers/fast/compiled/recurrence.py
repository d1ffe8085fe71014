"""The projected LSTM over packed sequences: a compiled loop, in a thread for each direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from elmo_plugin.layers.fast.compiled.column_blocks import column_blocks
from elmo_plugin.layers.fast.compiled.direction import Activations, Direction, run
from elmo_plugin.layers.fast.compiled.direction_backward import backward as run_backward
from elmo_plugin.layers.fast.compiled.threads import run_parts
from elmo_plugin.layers.fast.packing import last_rows
from elmo_plugin.layers.fast.precision import clip_in_type, in_precision
from elmo_plugin.layers.fast.weight_cache import cached_by_weights
from elmo_plugin.layers.lstm import FORGET_BIAS, Clips, LstmState, LstmWeights


def compiled_recurrence(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None = None,
) -> tuple[torch.Tensor, LstmState]:
    """Compute what `fast.recurrence` computes, for float32 on the CPU; parameters are the same."""
    differentiable = any(t.requires_grad for t in (inputs, *weights, *state))
    clips = clips[0], clip_in_type(clips[1], precision or weights.recurrent.dtype)
    with torch.autocast("cpu", enabled=False):
        # A batch of no sentences has no steps to backpropagate through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _CompiledRecurrence.apply(
                inputs, *weights, *state, list(batch_sizes), clips, precision
            )
            return outputs, LstmState(*final)
        with torch.no_grad():
            weights = _in_blocks(in_precision(weights, precision), _cached_blocks)
            directions = _directions(inputs, weights, state, batch_sizes, clips)
            activations = run(directions, keep_gates=False)
            return _outputs(inputs, activations), _final_state(activations, state, batch_sizes)


_cached_blocks = cached_by_weights(column_blocks)


def _in_blocks(weights: LstmWeights, blocks: Callable[[torch.Tensor], torch.Tensor]) -> LstmWeights:
    bias = weights.bias.clone()
    cell_dim = weights.projection.size(1)
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    kernel, recurrent, _, projection = weights
    return LstmWeights(blocks(kernel), blocks(recurrent), bias, blocks(projection))


def _directions(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
) -> list[Direction]:
    precision = weights.input.dtype
    inputs = inputs.to(precision).contiguous()
    state = LstmState(state.hidden.to(precision).contiguous(), state.cell.contiguous())
    return [
        Direction(inputs[d], LstmWeights(*w), LstmState(*s), batch_sizes, clips)
        for d, (w, s) in enumerate(zip(zip(*weights), zip(*state)))
    ]


def _outputs(inputs: torch.Tensor, activations: Sequence[Activations]) -> torch.Tensor:
    return torch.stack([a.hidden for a in activations]).to(inputs.dtype)


def _final_state(
    activations: Sequence[Activations], state: LstmState, batch_sizes: Sequence[int]
) -> LstmState:
    """Return the state of each sequence after its own last step."""
    if not batch_sizes:
        return state
    last = last_rows(batch_sizes, state.cell.device)
    return LstmState(
        torch.stack([a.hidden[last] for a in activations]).to(state.hidden.dtype),
        torch.stack([a.cells[last] for a in activations]),
    )


class _CompiledRecurrence(torch.autograd.Function):
    """Both directions with their hand-written gradients."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips, precision = arguments[6:]
        ctx.weights = in_precision(weights, precision)
        blocks = _in_blocks(ctx.weights, column_blocks)
        directions = _directions(inputs, blocks, state, ctx.batch_sizes, ctx.clips)
        activations = run(directions, keep_gates=True)
        final = _final_state(activations, state, ctx.batch_sizes)
        # The weights, for torch to notice if they change before the backward pass.
        ctx.save_for_backward(inputs, *weights, *state, *activations[0], *activations[1])
        ctx.mark_non_differentiable(*final)
        return _outputs(inputs, activations), *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        state = LstmState(*rest[4:6])
        activations = Activations(*rest[6:9]), Activations(*rest[9:12])
        directions = _directions(inputs, ctx.weights, state, ctx.batch_sizes, ctx.clips)
        parts = list(zip(directions, activations, grad_outputs.contiguous()))
        grads = [torch.stack(both) for both in zip(*run_parts(run_backward, parts))]
        return *(g.to(inputs.dtype) for g in grads), None, None, None
