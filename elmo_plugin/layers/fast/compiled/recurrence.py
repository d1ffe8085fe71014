"""The projected LSTM over packed sequences: compiled cells, and a thread for each direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from elmo_plugin.layers.fast.compiled.direction import Activations, Direction, run, run_in_chunks
from elmo_plugin.layers.fast.compiled.direction_backward import backward as run_backward
from elmo_plugin.layers.fast.compiled.threads import run_parts
from elmo_plugin.layers.fast.matmul import can_pack, packed
from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import FORGET_BIAS, Clips, LstmState, LstmWeights

# Multiplications of a step below which its operations are shorter than a change of threads.
_SMALL_STEP = 2**20
# Up to which a step of torch operations, for both directions at once, is faster.
_TINY_STEP = 2**19


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
    with torch.autocast("cpu", enabled=False):
        # A batch of no sentences has no steps to backpropagate through.
        if batch_sizes and differentiable and torch.is_grad_enabled():
            outputs, *final = _CompiledRecurrence.apply(
                inputs, *weights, *state, list(batch_sizes), clips, precision
            )
            return outputs, LstmState(*final)
        work = _work_per_step(weights, batch_sizes)
        if work <= _TINY_STEP:
            return recurrence(inputs, weights, state, batch_sizes, clips, precision)
        directions = _directions(inputs, weights, state, batch_sizes, clips, precision, _pack)
        activations = run_parts(run_in_chunks, directions, small=work < _SMALL_STEP)
        return _outputs(inputs, activations), _final_state(activations, state, batch_sizes)


def _work_per_step(weights: LstmWeights, batch_sizes: Sequence[int]) -> float:
    """Return the multiplications of one direction's recurrent product in an average step."""
    return weights.recurrent[0].numel() * sum(batch_sizes) / max(1, len(batch_sizes))


def _convert(weight: torch.Tensor, precision: torch.dtype) -> list[torch.Tensor]:
    """Return each direction's matrix in this type."""
    return list(weight.to(precision))


def _pack(weight: torch.Tensor, precision: torch.dtype) -> list[torch.Tensor]:
    """Return each direction's matrix, packed if it has this type already."""
    if weight.dtype == precision and can_pack(weight):
        return packed(weight)
    return _convert(weight, precision)


def _directions(
    inputs: torch.Tensor,
    weights: LstmWeights,
    state: LstmState,
    batch_sizes: Sequence[int],
    clips: Clips,
    precision: torch.dtype | None,
    convert: Callable[[torch.Tensor, torch.dtype], list[torch.Tensor]] = _convert,
) -> list[Direction]:
    precision = precision or weights.input.dtype
    matrices = (weights.input, weights.recurrent, weights.projection)
    kernel, recurrent, projection = (convert(matrix, precision) for matrix in matrices)
    inputs = inputs.to(precision)
    bias = weights.bias.clone()
    cell_dim = state.cell.size(2)
    bias[:, 2 * cell_dim : 3 * cell_dim] += FORGET_BIAS
    return [
        Direction(
            inputs[d],
            LstmWeights(kernel[d], recurrent[d], bias[d], projection[d]),
            LstmState(state.hidden[d].to(inputs.dtype), state.cell[d].contiguous()),
            batch_sizes,
            clips,
        )
        for d in range(2)
    ]


def _outputs(inputs: torch.Tensor, activations: Sequence[Activations]) -> torch.Tensor:
    return torch.stack([a.hidden for a in activations]).to(inputs.dtype)


def _final_state(
    activations: Sequence[Activations], state: LstmState, batch_sizes: Sequence[int]
) -> LstmState:
    """Return the state of each sequence after its own last step."""
    last = _last_rows(batch_sizes)
    if not len(last):
        return state
    return LstmState(
        torch.stack([a.hidden[last] for a in activations]).to(state.hidden.dtype),
        torch.stack([a.cells[last] for a in activations]),
    )


def _last_rows(batch_sizes: Sequence[int]) -> torch.Tensor:
    """Return the packed row of each sequence's last step."""
    last = torch.zeros(batch_sizes[0] if batch_sizes else 0, dtype=torch.long)
    start = 0
    for rows in batch_sizes:
        last[:rows] = torch.arange(start, start + rows)
        start += rows
    return last


class _CompiledRecurrence(torch.autograd.Function):
    """Both directions with their hand-written gradients."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
        weights, state = LstmWeights(*arguments[:4]), LstmState(*arguments[4:6])
        ctx.batch_sizes, ctx.clips, ctx.precision = arguments[6:]
        directions = _directions(inputs, weights, state, *arguments[6:])
        activations = run_parts(run, directions)
        final = _final_state(activations, state, ctx.batch_sizes)
        ctx.save_for_backward(inputs, *weights, *state, *activations[0], *activations[1])
        ctx.mark_non_differentiable(*final)
        return _outputs(inputs, activations), *final

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_outputs: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        inputs, *rest = ctx.saved_tensors
        weights, state = LstmWeights(*rest[:4]), LstmState(*rest[4:6])
        activations = Activations(*rest[6:9]), Activations(*rest[9:12])
        directions = _directions(inputs, weights, state, ctx.batch_sizes, ctx.clips, ctx.precision)
        parts = list(zip(directions, activations, grad_outputs.contiguous()))
        grads = [torch.stack(both) for both in zip(*run_parts(run_backward, parts))]
        return *(g.to(inputs.dtype) for g in grads), None, None, None
