"""Products by oneDNN against float64's, and what they promise about single rows."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_plugin.layers.fast import matmul as onednn
from elmo_plugin.layers.fast.linear import linear
from elmo_plugin.layers.fast.matmul import can_multiply, matmul, packed
from elmo_plugin.layers.torch_threads import torch_threads
from tests.helpers.bfloat16 import without_bfloat16

sizes = st.integers(1, 70)
needs_onednn = pytest.mark.skipif(
    not can_multiply(torch.ones(1, 1)), reason="PyTorch without oneDNN, or another processor"
)


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def _assert_near(found: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype) -> None:
    error = (found.double() - exact).norm() / exact.norm().clamp(min=1e-3)
    assert error < (1e-5 if dtype == torch.float32 else 2e-2)


@settings(deadline=None)
@given(
    *(sizes, sizes, sizes, st.booleans(), st.booleans()),
    st.sampled_from([torch.float32, torch.bfloat16]),
    st.booleans(),
)
def test_products_equal_those_of_float64(
    rows: int,
    inner: int,
    columns: int,
    transposed: bool,
    prepared: bool,
    dtype: torch.dtype,
    instructions: bool,
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        if not instructions:
            without_bfloat16(monkeypatch)
        _check_products((rows, inner, columns), transposed, prepared, dtype)


def _check_products(
    shape: tuple[int, int, int], transposed: bool, prepared: bool, dtype: torch.dtype
) -> None:
    rows, inner, columns = shape
    left = _random(inner, rows, dtype=dtype).T if transposed else _random(rows, inner, dtype=dtype)
    right = _random(inner, columns, dtype=dtype)
    exact = left.double() @ right.double()
    prepared = prepared and can_multiply(right)
    found = matmul(left, packed(right.T) if prepared else right)
    assert found.dtype == dtype
    _assert_near(found, exact, dtype)


@needs_onednn
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("dtype", "instructions"),
    [(torch.float32, True), (torch.bfloat16, True), (torch.bfloat16, False)],
)
@pytest.mark.parametrize(("inner", "columns"), [(512, 64), (16, 2048), (2048, 2048), (19, 33)])
def test_rows_of_packed_products_do_not_depend_on_other_rows(
    inner: int,
    columns: int,
    dtype: torch.dtype,
    instructions: bool,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not instructions:
        without_bfloat16(monkeypatch)
    weight = packed(_random(columns, inner, dtype=dtype))
    left = _random(300, inner, dtype=dtype)
    with torch_threads(threads):
        expected = matmul(left, weight)
        for rows in (*range(1, 40), 64, 100, 128, 200):
            assert torch.equal(matmul(left[:rows], weight), expected[:rows])


@needs_onednn
def test_changed_weights_are_packed_again() -> None:
    weight = torch.nn.Parameter(_random(7, 5))
    left = _random(4, 5)
    for _ in range(2):
        torch.testing.assert_close(matmul(left, packed(weight)), left @ weight.detach().T)
        with torch.no_grad():
            weight.mul_(2)


@needs_onednn
def test_packed_matrices_are_dropped_with_their_weight() -> None:
    weight = torch.nn.Parameter(_random(7, 5))
    first = weakref.ref(packed(weight))
    assert packed(weight) is first()
    del weight
    gc.collect()
    assert first() is None


@pytest.mark.parametrize("shape", [(6,), (3, 4), (0,)])
@pytest.mark.parametrize("onednn_there", [True, False])
def test_linear_layer_has_torchs_values_and_gradients(
    shape: tuple[int, ...], onednn_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not onednn_there:
        monkeypatch.setattr(onednn, "_HAS_ONEDNN", False)
    tensors = [_random(*shape, 5), _random(7, 5), _random(7)]
    one = [t.clone().requires_grad_() for t in tensors]
    other = [t.double().requires_grad_() for t in tensors]
    found, expected = linear(*one), torch.nn.functional.linear(*other)
    torch.testing.assert_close(found.double(), expected, atol=1e-5, rtol=1e-5)
    factors = _random(*found.shape)
    for grad, exact in zip(
        torch.autograd.grad((found * factors).sum(), one),
        torch.autograd.grad((expected * factors).sum(), other),
    ):
        torch.testing.assert_close(grad.double(), exact, atol=1e-5, rtol=1e-5)


def test_linear_layer_takes_autocasts_type() -> None:
    tensors = [_random(6, 5), _random(7, 5), _random(7)]
    with torch.autocast("cpu", torch.bfloat16):
        found = linear(*tensors)
        assert torch.equal(found, torch.nn.functional.linear(*tensors).float())
