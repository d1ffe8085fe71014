from __future__ import annotations

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights
from elmo_plugin.layers.projected_lstm import ProjectedLstm

BATCH_SIZES = [[2, 2, 1], [1, 1, 1, 1], [4], [3, 1, 1]]
CLIPS: list[Clips] = [(None, None), (0.3, None), (None, 0.2), (0.3, 0.2)]
INPUT, CELL, PROJECTION = 3, 4, 2


def _arguments(batch: int, words: int) -> tuple[torch.Tensor, ...]:
    """Inputs, weights and state, in double precision."""
    generator = torch.Generator().manual_seed(0)
    shapes = [
        (words, INPUT),
        (INPUT, 4 * CELL),
        (PROJECTION, 4 * CELL),
        (4 * CELL,),
        (CELL, PROJECTION),
        (batch, PROJECTION),
        (batch, CELL),
    ]
    return tuple(
        torch.randn(2, *shape, generator=generator, dtype=torch.double).requires_grad_()
        for shape in shapes
    )


def _outputs(batch_sizes: list[int], clips: Clips, *arguments: torch.Tensor) -> torch.Tensor:
    weights, state = LstmWeights(*arguments[1:5]), LstmState(*arguments[5:])
    return recurrence(arguments[0], weights, state, batch_sizes, clips)[0]


@pytest.mark.parametrize("clips", CLIPS)
@pytest.mark.parametrize("batch_sizes", BATCH_SIZES)
def test_gradient_by_hand_is_the_numerical_one(batch_sizes: list[int], clips: Clips) -> None:
    arguments = _arguments(batch_sizes[0], sum(batch_sizes))
    assert torch.autograd.gradcheck(lambda *a: _outputs(batch_sizes, clips, *a), arguments)


@pytest.mark.parametrize("clips", CLIPS)
def test_the_same_with_and_without_a_gradient(clips: Clips) -> None:
    arguments = _arguments(3, 5)
    with torch.no_grad():
        without = _outputs([3, 1, 1], clips, *arguments)
    torch.testing.assert_close(_outputs([3, 1, 1], clips, *arguments), without)


def test_clips_bound_outputs_and_cells() -> None:
    arguments = _arguments(4, 4)
    weights, state = LstmWeights(*arguments[1:5]), LstmState(*arguments[5:])
    outputs, last = recurrence(arguments[0], weights, state, [4], (0.3, 0.2))
    for values, bound in ((outputs, 0.2), (last.hidden, 0.2), (last.cell, 0.3)):
        assert values.abs().max().item() == bound
        assert values.abs().min().item() < bound


def test_as_pytorchs_lstm_where_nothing_is_clipped() -> None:
    lengths = [5, 3, 3, 1]
    batch_sizes = [4, 3, 3, 1, 1]
    torch.manual_seed(0)
    ours = ProjectedLstm(INPUT, CELL, PROJECTION).double()
    torch.nn.init.normal_(ours.bias)
    theirs = torch.nn.LSTM(INPUT, CELL, proj_size=PROJECTION).double()
    sequences = [torch.randn(2, n, INPUT, dtype=torch.double) for n in lengths]
    packed = [pack_sequence([s[direction] for s in sequences]) for direction in range(2)]
    inputs = torch.stack([p.data for p in packed])
    zero = LstmState(*(inputs.new_zeros(2, 4, size) for size in (PROJECTION, CELL)))
    outputs, state = ours(inputs, batch_sizes, zero)
    for direction in range(2):
        _copy(ours, direction, theirs)
        expected, (hidden, cell) = theirs(packed[direction])
        torch.testing.assert_close(outputs[direction], expected.data)
        torch.testing.assert_close(state.hidden[direction], hidden[0])
        torch.testing.assert_close(state.cell[direction], cell[0])


def _copy(ours: ProjectedLstm, direction: int, theirs: torch.nn.LSTM) -> None:
    def reordered(gates: torch.Tensor) -> torch.Tensor:
        i, j, f, o = gates[direction].detach().chunk(4, dim=-1)
        return torch.cat([i, f, j, o], dim=-1).mT if gates.dim() == 3 else torch.cat([i, f, j, o])

    forget = torch.zeros(4 * CELL, dtype=torch.double)
    forget[CELL : 2 * CELL] = 1.0  # ours adds it itself
    theirs.load_state_dict(
        {
            "weight_ih_l0": reordered(ours.input_weight),
            "weight_hh_l0": reordered(ours.recurrent_weight),
            "weight_hr_l0": ours.projection[direction].detach().mT,
            "bias_ih_l0": reordered(ours.bias),
            "bias_hh_l0": forget,
        }
    )


def test_more_words_than_are_held_at_once() -> None:
    # Without a gradient, steps run in groups; with one, all at once.
    torch.manual_seed(0)
    lstm = ProjectedLstm(INPUT, CELL, PROJECTION, 0.3, 0.2)
    batch_sizes = [600] * 3 + [500] * 3 + [1100, 3, 3]
    batch_sizes.sort(reverse=True)
    inputs = torch.randn(2, sum(batch_sizes), INPUT)
    zero = LstmState(*(inputs.new_zeros(2, batch_sizes[0], size) for size in (PROJECTION, CELL)))
    outputs, state = lstm(inputs, batch_sizes, zero)
    with torch.no_grad():
        grouped_outputs, grouped_state = lstm(inputs, batch_sizes, zero)
    torch.testing.assert_close(grouped_outputs, outputs.detach())
    torch.testing.assert_close(grouped_state.cell, state.cell)


def test_initial_values_as_published() -> None:
    torch.manual_seed(0)
    lstm = ProjectedLstm(512, 1024, 256)
    kernel_bound = (6 / (512 + 256 + 4 * 1024)) ** 0.5
    projection_bound = (6 / (1024 + 256)) ** 0.5
    bounds = [
        (lstm.input_weight, kernel_bound),
        (lstm.recurrent_weight, kernel_bound),
        (lstm.projection, projection_bound),
    ]
    for weight, bound in bounds:
        assert 0.99 * bound < weight.abs().max().item() <= bound
    assert not lstm.bias.any()


def test_weights_that_need_no_gradient() -> None:
    lstm = ProjectedLstm(INPUT, CELL, PROJECTION).requires_grad_(False)
    zero = LstmState(torch.zeros(2, 1, PROJECTION), torch.zeros(2, 1, CELL))
    inputs = torch.randn(2, 3, INPUT, requires_grad=True)
    outputs, state = lstm(inputs, [1, 1, 1], zero)
    outputs.sum().backward()
    assert inputs.grad is not None and inputs.grad.any()
    assert lstm.bias.grad is None
    assert not state.cell.requires_grad


def test_lower_precision_of_products_alone() -> None:
    torch.manual_seed(0)
    batch_sizes = [8] * 10 + [5] * 10
    exact, rough = ProjectedLstm(12, 32, 16, 3.0, 3.0), ProjectedLstm(12, 32, 16, 3.0, 3.0)
    rough.load_state_dict(exact.state_dict())
    rough.precision = torch.bfloat16
    zero = LstmState(torch.zeros(2, 8, 16), torch.zeros(2, 8, 32))
    inputs = torch.randn(2, sum(batch_sizes), 12, requires_grad=True)
    found = []
    for lstm in (exact, rough):
        outputs, state = lstm(inputs, batch_sizes, zero)
        with torch.no_grad():
            without, _ = lstm(inputs, batch_sizes, zero)
        # As many steps as are held at once, so the same products.
        assert torch.equal(outputs, without)
        gradients = torch.autograd.grad(outputs.square().sum(), [inputs, *lstm.parameters()])
        found.append([outputs, *state, *gradients])
    for expected, value in zip(*found):
        assert value.dtype == torch.float32
        error = (value - expected).norm() / expected.norm()
        # A mantissa of eight bits: operands are off by up to 0.4 percent.
        assert 1e-4 < error < 0.01
