"""The fast recurrence against its definition, the plain loop, and against numerical gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights, lstm
from tests.helpers.packed_lstm import (
    BATCH_SIZES,
    CLIPS,
    lstm_arguments,
)

LONG = [5] * 3 + [4] * 4 + [2] * 6 + [1] * 9


@pytest.mark.parametrize("clips", CLIPS)
@pytest.mark.parametrize("batch_sizes", BATCH_SIZES)
def test_recurrence_gradcheck(batch_sizes: list[int], clips: Clips) -> None:
    inputs, weights, state = lstm_arguments(batch_sizes[0], sum(batch_sizes))

    def outputs(*arguments: torch.Tensor) -> torch.Tensor:
        w, s = LstmWeights(*arguments[1:5]), LstmState(*arguments[5:])
        return recurrence(arguments[0], w, s, batch_sizes, clips)[0]

    assert torch.autograd.gradcheck(outputs, (inputs, *weights, *state))


Run = Callable[..., tuple[torch.Tensor, LstmState]]


def _values_and_gradients(run: Run, batch_sizes: list[int], clips: Clips) -> list[torch.Tensor]:
    inputs, weights, state = lstm_arguments(batch_sizes[0], sum(batch_sizes))
    outputs, last = run(inputs, weights, state, batch_sizes, clips)
    cotangent = torch.linspace(-1, 1, outputs.numel(), dtype=outputs.dtype).view_as(outputs)
    gradients = torch.autograd.grad((outputs * cotangent).sum(), [inputs, *weights, *state])
    return [outputs, *last, *gradients]


@pytest.mark.parametrize("clips", CLIPS)
@pytest.mark.parametrize("batch_sizes", [*BATCH_SIZES, LONG], ids=str)
def test_values_and_gradients_equal_those_of_the_plain_loop(
    batch_sizes: list[int], clips: Clips
) -> None:
    found = _values_and_gradients(recurrence, batch_sizes, clips)
    expected = _values_and_gradients(lstm, batch_sizes, clips)
    torch.testing.assert_close(found, expected)
    assert not found[1].requires_grad and not found[2].requires_grad


@pytest.mark.parametrize("clips", CLIPS)
def test_values_do_not_depend_on_whether_gradients_are_needed(clips: Clips) -> None:
    arguments = (*lstm_arguments(3, 5), [3, 1, 1], clips)
    with torch.no_grad():
        without = recurrence(*arguments)
    torch.testing.assert_close(recurrence(*arguments), without)


def test_clips_bound_outputs_and_cells() -> None:
    outputs, last = recurrence(*lstm_arguments(4, 4), [4], (0.3, 0.2))
    for values, bound in ((outputs, 0.2), (last.hidden, 0.2), (last.cell, 0.3)):
        assert values.abs().max().item() == bound
        assert values.abs().min().item() < bound


def test_steps_in_several_chunks() -> None:
    # Without a gradient, steps run in chunks of at most 1024 words.
    batch_sizes = [1100] + [600] * 3 + [500] * 3 + [3, 3]
    inputs, weights, state = lstm_arguments(1100, sum(batch_sizes))
    with torch.no_grad():
        found = recurrence(inputs, weights, state, batch_sizes, (0.3, 0.2))
        expected = lstm(inputs, weights, state, batch_sizes, (0.3, 0.2))
    torch.testing.assert_close(found, expected)


def test_gradients_of_inputs_alone() -> None:
    inputs, weights, state = lstm_arguments(1, 3)
    frozen: Any = [type(t)(*(x.detach() for x in t)) for t in (weights, state)]
    outputs, last = recurrence(inputs, *frozen, [1, 1, 1], (0.3, 0.2))
    outputs.sum().backward()
    assert inputs.grad is not None and inputs.grad.any()
    assert not last.cell.requires_grad


def test_lower_precision_of_matrix_operands_only() -> None:
    torch.manual_seed(0)
    batch_sizes = [8] * 10 + [5] * 10
    shapes = ((12, 128), (16, 128), (128,), (32, 16))
    weights = LstmWeights(*((torch.randn(2, *s) * 0.1).requires_grad_() for s in shapes))
    state = LstmState(torch.zeros(2, 8, 16), torch.zeros(2, 8, 32))
    inputs = torch.randn(2, sum(batch_sizes), 12, requires_grad=True)
    found = []
    for precision in (None, torch.bfloat16):
        arguments = (inputs, weights, state, batch_sizes, (3.0, 3.0), precision)
        outputs, last = recurrence(*arguments)
        with torch.no_grad():
            without, _ = recurrence(*arguments)
        # Both in one chunk, so with the same products.
        assert torch.equal(outputs, without)
        gradients = torch.autograd.grad(outputs.square().sum(), [inputs, *weights])
        found.append([outputs, *last, *gradients])
    for expected, value in zip(*found):
        assert value.dtype == torch.float32
        error = (value - expected).norm() / expected.norm()
        # With 8 bits, operands are off by up to 0.4 percent.
        assert 1e-4 < error < 0.01
