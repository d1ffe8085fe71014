"""The compiled recurrence against the one of torch operations: values, gradients, and NaN."""

import pytest
import torch

from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import LstmState, LstmWeights
from elmo_plugin.layers.torch_threads import torch_threads

compiled_lstm = pytest.importorskip("elmo_plugin.layers.fast.compiled.recurrence")

INPUT, CELL, PROJECTION = 5, 19, 3
# Equal lengths, shrinking batches, one sequence, steps of several groups of rows, and steps whose
# rows are one more than a group's.
BATCHES = [[4, 4, 4], [5, 3, 3, 1], [1], [400, 400, 300], [13, 13, 13, 13, 13]]


def arguments(batch_sizes: list[int], seed: int = 0) -> list[torch.Tensor]:
    """Inputs, weights and state, requiring gradients."""
    torch.manual_seed(seed)
    rows = batch_sizes[0] if batch_sizes else 2
    shapes = [
        (2, sum(batch_sizes), INPUT),
        (2, INPUT, 4 * CELL),
        (2, PROJECTION, 4 * CELL),
        (2, 4 * CELL),
        (2, CELL, PROJECTION),
        (2, rows, PROJECTION),
        (2, rows, CELL),
    ]
    return [torch.randn(shape).mul(0.5).requires_grad_() for shape in shapes]


def results(function, tensors, batch_sizes, clips, precision=None):  # type: ignore[no-untyped-def]
    """Outputs, final state and, weighted at random, the gradients of all arguments."""
    inputs, *rest = tensors
    outputs, state = function(
        inputs, LstmWeights(*rest[:4]), LstmState(*rest[4:]), batch_sizes, clips, precision
    )
    torch.manual_seed(1)
    gradients = torch.autograd.grad((outputs * torch.randn(outputs.shape)).sum(), tensors)
    return [outputs.detach(), *state, *gradients]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("clips", [(3.0, 3.0), (0.4, 0.2), (None, None)])
@pytest.mark.parametrize("batch_sizes", BATCHES)
def test_values_and_gradients(
    batch_sizes: list[int], clips: tuple[float | None, float | None], threads: int
) -> None:
    tensors = arguments(batch_sizes)
    with torch_threads(threads):
        found = results(compiled_lstm.compiled_recurrence, tensors, batch_sizes, clips)
        expected = results(recurrence, tensors, batch_sizes, clips)
    for one, other in zip(found, expected):
        torch.testing.assert_close(one, other, atol=1e-5 * other.abs().max().item(), rtol=0)


@pytest.mark.parametrize("batch_sizes", BATCHES)
def test_inference_equals_training(batch_sizes: list[int]) -> None:
    inputs, *rest = arguments(batch_sizes)
    weights, state, clips = LstmWeights(*rest[:4]), LstmState(*rest[4:]), (3.0, 0.2)
    expected, last = compiled_lstm.compiled_recurrence(inputs, weights, state, batch_sizes, clips)
    with torch.no_grad():
        found = compiled_lstm.compiled_recurrence(inputs, weights, state, batch_sizes, clips)
    for one, other in zip((found[0], *found[1]), (expected, *last)):
        torch.testing.assert_close(one, other.detach(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("batch_sizes", BATCHES)
def test_bfloat16_is_as_near_to_float32_as_torch_is(batch_sizes: list[int]) -> None:
    tensors, clips = arguments(batch_sizes), (3.0, 3.0)
    exact = results(recurrence, tensors, batch_sizes, clips)
    found, peer = (
        results(function, tensors, batch_sizes, clips, torch.bfloat16)
        for function in (compiled_lstm.compiled_recurrence, recurrence)
    )
    for expected, one, other in zip(exact, found, peer):
        error, error_of_torch = ((each - expected).abs().mean() for each in (one, other))
        assert error_of_torch / 10 < error <= 2 * error_of_torch + 1e-6


@pytest.mark.parametrize("precision", [None, torch.bfloat16])
@pytest.mark.parametrize("bound", [0.7, 0.3])  # rounded down and up in bfloat16
def test_clipped_outputs_pass_no_gradient(bound: float, precision: torch.dtype | None) -> None:
    tensors = [t.detach().abs().mul(100).requires_grad_() for t in arguments([4, 4])]
    run = compiled_lstm.compiled_recurrence
    outputs, _, _, *gradients = results(run, tensors, [4, 4], (None, bound), precision)
    assert outputs.unique().numel() == 1
    assert not any(gradient.any() for gradient in gradients)


@pytest.mark.parametrize("batch_sizes", [*BATCHES, []])
def test_without_gradients(batch_sizes: list[int]) -> None:
    # A batch of no steps takes the same path if weights require gradients.
    tensors = [t.detach().requires_grad_(not batch_sizes) for t in arguments(batch_sizes)]
    weights, state = LstmWeights(*tensors[1:5]), LstmState(*tensors[5:])
    found, expected = (
        function(tensors[0], weights, state, batch_sizes, (3.0, 3.0))
        for function in (compiled_lstm.compiled_recurrence, recurrence)
    )
    torch.testing.assert_close(found[0], expected[0], atol=1e-5, rtol=0)
    for one, other in zip(found[1], expected[1]):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sequence_does_not_depend_on_its_batch(threads: int) -> None:
    tensors = [t.detach() for t in arguments([6, 6, 6])]
    weights, state = LstmWeights(*tensors[1:5]), LstmState(*tensors[5:])
    with torch_threads(threads):
        whole, _ = compiled_lstm.compiled_recurrence(
            tensors[0], weights, state, [6, 6, 6], (3.0, 3.0)
        )
        few, _ = compiled_lstm.compiled_recurrence(
            tensors[0].view(2, 3, 6, -1)[:, :, :5].reshape(2, 15, -1),
            weights,
            LstmState(*(s[:, :5] for s in state)),
            [5, 5, 5],
            (3.0, 3.0),
        )
    torch.testing.assert_close(
        few.view(2, 3, 5, -1), whole.view(2, 3, 6, -1)[:, :, :5], atol=1e-6, rtol=0
    )


@pytest.mark.parametrize("argument", range(7))
def test_nan_shows(argument: int) -> None:
    tensors = [t.detach() for t in arguments([3, 3])]
    tensors[argument].view(-1)[0] = torch.nan
    outputs, _ = compiled_lstm.compiled_recurrence(
        tensors[0], LstmWeights(*tensors[1:5]), LstmState(*tensors[5:]), [3, 3], (3.0, 3.0)
    )
    assert outputs.isnan().any()
