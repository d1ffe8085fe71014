"""
The recurrence with Triton's kernels against the one of torch operations. In Triton's interpreter
(`make test-triton`) on the CPU; otherwise on a GPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from elmo_plugin.layers.fast.cell import TORCH_CELL
from elmo_plugin.layers.fast.recurrence import recurrence
from elmo_plugin.layers.lstm import Clips, LstmState, LstmWeights, lstm
from tests.helpers.packed_lstm import BATCH_SIZES, CLIPS, lstm_arguments

pytestmark = pytest.mark.triton

pytest.importorskip("triton")
IS_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if IS_INTERPRETED else "cuda"

LONG = [5] * 3 + [4] * 4 + [2] * 6 + [1] * 3
Run = Callable[..., tuple[torch.Tensor, LstmState]]


@pytest.fixture(scope="module")
def fused() -> Run:
    from elmo_plugin.layers.fast.triton.recurrence import fused_recurrence

    return fused_recurrence


def _results(
    run: Run, batch_sizes: list[int], clips: Clips, *precision: torch.dtype, dtype: torch.dtype
) -> list[torch.Tensor]:
    """Outputs, final state and gradients."""
    inputs, weights, state = lstm_arguments(batch_sizes[0], sum(batch_sizes))
    tensors = [t.detach().to(DEVICE, dtype).requires_grad_() for t in (inputs, *weights, *state)]
    packed = LstmWeights(*tensors[1:5]), LstmState(*tensors[5:])
    outputs, last = run(tensors[0], *packed, batch_sizes, clips, *precision)
    cotangent = torch.linspace(-1, 1, outputs.numel(), device=DEVICE).view_as(outputs)
    gradients = torch.autograd.grad((outputs * cotangent).sum(), tensors)
    return [outputs, *last, *gradients]


@pytest.mark.parametrize("definition", [recurrence, lstm])
@pytest.mark.parametrize("clips", CLIPS)
@pytest.mark.parametrize("batch_sizes", [*BATCH_SIZES, LONG], ids=str)
def test_values_and_gradients(
    batch_sizes: list[int], clips: Clips, definition: Run, fused: Run
) -> None:
    found = _results(fused, batch_sizes, clips, dtype=torch.float32)
    expected = _results(definition, batch_sizes, clips, dtype=torch.float32)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("precision, unit", [(torch.bfloat16, 2**-8), (torch.float16, 2**-11)])
@pytest.mark.parametrize("batch_sizes", [*BATCH_SIZES, LONG], ids=str)
def test_lower_precision(
    batch_sizes: list[int], precision: torch.dtype, unit: float, fused: Run
) -> None:
    found = _results(fused, batch_sizes, (3.0, 3.0), precision, dtype=torch.float32)
    expected = _results(recurrence, batch_sizes, (3.0, 3.0), dtype=torch.float32)
    units = 16  # an H100 reached 10; the interpreter rounds bfloat16 toward zero
    for one, other in zip(found, expected):
        assert one.dtype == torch.float32
        assert (one - other).norm() <= units * unit * other.norm()


@pytest.mark.parametrize("clips", [(None, None), (0.25, 0.125)])
def test_recurrence_gradcheck(clips: Clips, fused: Run) -> None:
    inputs, weights, state = lstm_arguments(3, 5)
    tensors = [t.detach().to(DEVICE).requires_grad_() for t in (inputs, *weights, *state)]

    def outputs(*arguments: torch.Tensor) -> torch.Tensor:
        w, s = LstmWeights(*arguments[1:5]), LstmState(*arguments[5:])
        return fused(arguments[0], w, s, [3, 1, 1], clips)[0]

    assert torch.autograd.gradcheck(outputs, tensors, fast_mode=True)


def test_more_columns_than_a_program_computes(fused: Run) -> None:
    torch.manual_seed(0)
    shapes = ((6, 4 * 530), (517, 4 * 530), (4 * 530,), (530, 517))
    weights = LstmWeights(*(0.1 * torch.randn(2, *shape, device=DEVICE) for shape in shapes))
    inputs = torch.randn(2, 5, 6, device=DEVICE, requires_grad=True)
    # One state for all sequences, as the warm state is.
    state = LstmState(*(torch.randn(2, 1, size, device=DEVICE) for size in (517, 530)))
    state = LstmState(*(s.expand(-1, 2, -1) for s in state))
    found = []
    for run in (fused, recurrence):
        outputs, last = run(inputs, weights, state, [2, 2, 1], (0.3, 0.2))
        with torch.no_grad():
            without, _ = run(inputs, weights, state, [2, 2, 1], (0.3, 0.2))
        gradient = torch.autograd.grad(outputs.square().sum(), inputs)[0]
        found.append([outputs, without, *last, gradient])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("argument", range(7))
def test_nan_shows(argument: int, fused: Run) -> None:
    inputs, weights, state = lstm_arguments(2, 4)
    tensors = [t.detach().to(DEVICE, torch.float32) for t in (inputs, *weights, *state)]
    tensors[argument].view(-1)[0] = torch.nan
    packed = LstmWeights(*tensors[1:5]), LstmState(*tensors[5:])
    assert fused(tensors[0], *packed, [2, 2], (3.0, 3.0))[0].isnan().any()


def test_rows_must_be_adjacent() -> None:
    from elmo_plugin.layers.fast.triton.cell import TRITON_CELL

    rows = torch.zeros(2, 3, 8, device=DEVICE)
    apart = torch.zeros(2, 6, 8, device=DEVICE)[:, ::2]
    with pytest.raises(ValueError, match="adjacent rows"):
        TRITON_CELL.hidden_backward(rows, rows, apart, rows, None)


@pytest.mark.parametrize("matrix", [torch.float32, torch.bfloat16, torch.float16])
def test_check_of_the_kernels(matrix: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    from elmo_plugin.layers.fast.triton import check

    device = torch.zeros(1, device=DEVICE).device
    agrees = check.agrees.__wrapped__
    assert agrees(device, matrix)

    def too_large(*arguments: Any) -> None:
        TORCH_CELL.cell_backward(*arguments)
        arguments[4].mul_(1.1)

    def out_of_bounds(*arguments: Any) -> None:
        TORCH_CELL.cell_backward(*arguments)
        arguments[5]._base[:, 0] = 0

    def failing(*arguments: Any) -> None:
        raise RuntimeError("no C compiler")

    for function, message in (
        (too_large, "differ"),
        (out_of_bounds, "differ"),
        (failing, "do not compile: no C compiler"),
    ):
        wrong = TORCH_CELL._replace(cell_backward=function)
        monkeypatch.setattr(check, "TRITON_CELL", wrong)
        with pytest.warns(UserWarning, match=message):
            assert not agrees(device, matrix)


@pytest.mark.skipif(not IS_INTERPRETED, reason="the other tests compile")
def test_kernels_compile_for_gpus() -> None:
    command = [sys.executable, "-m", "tests.helpers.triton_compilation"]
    environment = {**os.environ, "TRITON_INTERPRET": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 18
