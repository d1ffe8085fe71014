"""The plain LSTM against PyTorch's, and against its equations where values are clipped."""

from __future__ import annotations

import numpy
import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from elmo_plugin.layers.lstm import LstmState, LstmWeights, lstm
from tests.helpers.packed_lstm import CELL, CLIPS, INPUT, PROJECTION, lstm_arguments
from tests.reference.numpy_bilm import clip, sigmoid


def test_lstm_equals_pytorch_without_clips() -> None:
    lengths, batch_sizes = [5, 3, 3, 1], [4, 3, 3, 1, 1]
    _, weights, _ = lstm_arguments(4, sum(lengths))
    theirs = torch.nn.LSTM(INPUT, CELL, proj_size=PROJECTION).double()
    sequences = [torch.randn(2, n, INPUT, dtype=torch.double) for n in lengths]
    packed = [pack_sequence([s[direction] for s in sequences]) for direction in range(2)]
    inputs = torch.stack([p.data for p in packed])
    zero = LstmState(*(inputs.new_zeros(2, 4, size) for size in (PROJECTION, CELL)))
    outputs, state = lstm(inputs, weights, zero, batch_sizes, (None, None))
    for direction in range(2):
        theirs.load_state_dict(_pytorch_state(weights, direction))
        expected, (hidden, cell) = theirs(packed[direction])
        torch.testing.assert_close(outputs[direction], expected.data)
        torch.testing.assert_close(state.hidden[direction], hidden[0])
        torch.testing.assert_close(state.cell[direction], cell[0])


def _pytorch_state(weights: LstmWeights, direction: int) -> dict[str, torch.Tensor]:
    def reorder(gates: torch.Tensor) -> torch.Tensor:
        i, g, f, o = gates[direction].detach().chunk(4, dim=-1)
        return torch.cat([i, f, g, o], dim=-1).mT if gates.dim() == 3 else torch.cat([i, f, g, o])

    forget = torch.zeros(4 * CELL, dtype=torch.double)
    forget[CELL : 2 * CELL] = 1.0  # ours adds it itself
    return {
        "weight_ih_l0": reorder(weights.input),
        "weight_hh_l0": reorder(weights.recurrent),
        "weight_hr_l0": weights.projection[direction].detach().mT,
        "bias_ih_l0": reorder(weights.bias),
        "bias_hh_l0": forget,
    }


@pytest.mark.parametrize("clips", CLIPS)
@torch.no_grad()
def test_one_clipped_step_equals_the_equations(clips: tuple[float | None, float | None]) -> None:
    inputs, weights, state = lstm_arguments(4, 4)
    outputs, last = lstm(inputs, weights, state, [4], clips)
    for direction in range(2):
        x, h, c = (t[direction].numpy() for t in (inputs, state.hidden, state.cell))
        w, u, b, p = (weight[direction].numpy() for weight in weights)
        i, g, f, o = numpy.split(x @ w + h @ u + b, 4, axis=-1)
        cell = clip(sigmoid(f + 1) * c + sigmoid(i) * numpy.tanh(g), clips[0])
        hidden = clip((sigmoid(o) * numpy.tanh(cell)) @ p, clips[1])
        numpy.testing.assert_allclose(outputs[direction], hidden, rtol=1e-12)
        numpy.testing.assert_allclose(last.hidden[direction], hidden, rtol=1e-12)
        numpy.testing.assert_allclose(last.cell[direction], cell, rtol=1e-12)


def test_ended_sequences_keep_their_state() -> None:
    inputs, weights, state = lstm_arguments(3, 6)
    _, last = lstm(inputs, weights, state, [3, 2, 1], (0.3, 0.2))
    for row, steps in enumerate(([0, 3, 5], [1, 4], [2])):
        alone = LstmState(*(s[:, row : row + 1] for s in state))
        _, expected = lstm(inputs[:, steps], weights, alone, [1] * len(steps), (0.3, 0.2))
        for found, value in zip(last, expected):
            torch.testing.assert_close(found[:, row : row + 1], value)


def test_no_sequences() -> None:
    inputs, weights, state = lstm_arguments(0, 0)
    outputs, last = lstm(inputs, weights, state, [], (0.3, 0.2))
    assert outputs.shape == (2, 0, PROJECTION)
    assert last.cell.shape == (2, 0, CELL)
