"""One direction of a projected LSTM layer, forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy
import torch

from elmo_plugin.layers.fast.compiled.kernels.lstm_cell import cell_forward
from elmo_plugin.layers.fast.compiled.threads import numpy_view
from elmo_plugin.layers.fast.matmul import matmul
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights

# Words whose gates are in memory at once where there is no backward pass.
_CHUNK_WORDS = 1024


class Direction(NamedTuple):
    """One direction's inputs, weights and state; matrices have the operands' type."""

    inputs: torch.Tensor
    """Shape (words, input_dim)."""
    weights: LstmWeights
    """Matrices may be packed, see `matmul`."""
    state: LstmState
    batch_sizes: Sequence[int]
    clips: Clips


class Activations(NamedTuple):
    """Results of a direction that its gradient needs; gates are activated."""

    gates: torch.Tensor
    """Those of the last chunk only, if no gradient is needed. Shape (words, 4 * cell_dim)."""
    cells: torch.Tensor
    """Shape (words, cell_dim)."""
    hidden: torch.Tensor
    """Outputs, in the operands' type. Shape (words, projection_dim)."""


def clip_bound(clip: float | None) -> numpy.float32:
    """Return infinity where there is no bound."""
    return numpy.float32(numpy.inf if clip is None else clip)


def first_rows(batch_sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first row and the number of rows of each step."""
    starts = [0]
    for rows in batch_sizes:
        starts.append(starts[-1] + rows)
    return list(zip(starts, batch_sizes))


def run(direction: Direction) -> Activations:
    """Run all steps of one direction with all gates in memory."""
    inputs, weights, state, batch_sizes, clips = direction
    cell_dim, projection_dim = state.cell.size(1), state.hidden.size(1)
    # The inputs' part of the gates does not wait for the recurrence: one product for all steps.
    gates = matmul(inputs, weights.input)
    cells = gates.new_empty(len(inputs), cell_dim, dtype=torch.float32)
    outputs = gates.new_empty(len(inputs), cell_dim)
    hidden = gates.new_empty(len(inputs), projection_dim)

    cell_clip, projection_clip = clips
    tensors = (gates, weights.bias, cells, outputs)
    gates_view, bias, cells_view, outputs_view = map(numpy_view, tensors)
    previous, before, before_start = state.hidden, numpy_view(state.cell), 0
    for start, rows in first_rows(batch_sizes):
        here = slice(start, start + rows)
        sums = matmul(previous[:rows], weights.recurrent, gates[here])
        cell_forward(
            *(numpy_view(sums), bias, gates_view, start, before, before_start),
            *(clip_bound(cell_clip), cells_view, outputs_view),
        )
        previous = hidden[here]
        previous.copy_(matmul(outputs[here], weights.projection))
        if projection_clip is not None:
            previous.clamp_(-projection_clip, projection_clip)
        before, before_start = cells_view, start
    return Activations(gates, cells, hidden)


def run_in_chunks(direction: Direction) -> Activations:
    """Run one direction chunk after chunk of steps, so that few gates are in memory."""
    cells, hidden, start = [], [], 0
    state = direction.state
    gates = direction.inputs.new_empty(0)
    for chunk in _chunks(direction.batch_sizes):
        words = sum(chunk)
        part = direction.inputs[start : start + words]
        gates, *found = run(direction._replace(inputs=part, state=state, batch_sizes=chunk))
        cells.append(found[0])
        hidden.append(found[1])
        state = LstmState(found[1][words - chunk[-1] :], found[0][words - chunk[-1] :])
        start += words
    if not cells:
        return run(direction)
    return Activations(gates, torch.cat(cells), torch.cat(hidden))


def _chunks(batch_sizes: Sequence[int]) -> list[list[int]]:
    chunks: list[list[int]] = []
    for rows in batch_sizes:
        if not chunks or sum(chunks[-1]) + rows > _CHUNK_WORDS:
            chunks.append([])
        chunks[-1].append(rows)
    return chunks
