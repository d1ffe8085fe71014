"""The directions of a projected LSTM layer, forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy
import torch

from elmo_plugin.layers.fast.compiled.kernels.recurrence import forward_steps
from elmo_plugin.layers.fast.compiled.threads import numpy_view, run_parts
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights


class Direction(NamedTuple):
    """One direction's inputs, weights and state; matrices have the type of products' operands."""

    inputs: torch.Tensor
    """Shape (words, input_dim)."""
    weights: LstmWeights
    """Matrices are in `column_blocks` in the forward pass, and plain in the backward pass."""
    state: LstmState
    batch_sizes: Sequence[int]
    clips: Clips


class Activations(NamedTuple):
    """Results of a direction that its gradient needs; gates are activated."""

    gates: torch.Tensor
    """In the operands' type. Shape (words, 4 * cell_dim), or (0, 4 * cell_dim) if not kept."""
    cells: torch.Tensor
    """Shape (words, cell_dim)."""
    hidden: torch.Tensor
    """Outputs, in the operands' type. Shape (words, projection_dim)."""


def clip_bounds(clips: Clips) -> numpy.ndarray:
    """Return infinity where there is no bound."""
    return numpy.array([numpy.inf if clip is None else clip for clip in clips], numpy.float32)


def run(directions: Sequence[Direction], keep_gates: bool) -> list[Activations]:
    """Run all steps of both directions. Only a gradient needs the gates."""
    activations = [_empty(direction, keep_gates) for direction in directions]
    pairs = zip(directions, activations)
    # Arguments are prepared here, so that the threads only run compiled code, without the GIL.
    run_parts(lambda arguments: forward_steps(*arguments), [_arguments(*pair) for pair in pairs])
    return activations


def _empty(direction: Direction, keep_gates: bool) -> Activations:
    inputs, cell = direction.inputs, direction.state.cell
    words = len(inputs)
    return Activations(
        inputs.new_empty(words if keep_gates else 0, 4 * cell.size(1)),
        cell.new_empty(words, cell.size(1)),
        inputs.new_empty(words, direction.state.hidden.size(1)),
    )


def _arguments(direction: Direction, activations: Activations) -> list[numpy.ndarray]:
    inputs, weights, state, batch_sizes, clips = direction
    return [
        *map(numpy_view, (inputs, *weights, *state)),
        *(numpy.array(batch_sizes, numpy.int64), clip_bounds(clips)),
        *map(numpy_view, activations),
    ]
