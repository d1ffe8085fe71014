"""Compiled functions of single numbers against float64."""

import numpy
import pytest
import torch

pytest.importorskip("numba")

from numba import njit, vectorize

from elmo_plugin.layers.fast.compiled.kernels import arithmetic

VALUES = numpy.concatenate(
    [
        numpy.linspace(-30, 30, 100_001),
        numpy.geomspace(1e-30, 30, 10_000),
        -numpy.geomspace(1e-30, 30, 10_000),
        [0.0, 1e6, -1e6, numpy.inf, -numpy.inf],
    ]
).astype(numpy.float32)
EXACT = {
    "tanh": numpy.tanh,
    "sigmoid": lambda x: 1 / (1 + numpy.exp(-numpy.clip(x, -700, 700))),
    "exp": lambda x: numpy.exp(numpy.clip(x, -87, 88)),
}


def applied(name: str, values: numpy.ndarray) -> numpy.ndarray:
    function = getattr(arithmetic, name)
    return vectorize(["float32(float32)"])(lambda x: function(x))(values)


@pytest.mark.parametrize("name", EXACT)
def test_relative_error_is_below_four_units_in_the_last_place(name: str) -> None:
    expected = EXACT[name](VALUES.astype(numpy.float64))
    error = numpy.abs(applied(name, VALUES) - expected)
    # A sigmoid of large negative values is near 0, where its absolute error is what counts.
    scale = numpy.maximum(numpy.abs(expected), 1e-37 if name != "sigmoid" else 1e-6)
    assert (error / scale).max() < 4 * 2**-23


@pytest.mark.parametrize("name", EXACT)
def test_nan_stays_nan(name: str) -> None:
    assert numpy.isnan(applied(name, numpy.array([numpy.nan], numpy.float32))).all()


def test_bfloat16_rounds_as_torch_does() -> None:
    @njit
    def round_trip(values, bits, out):  # type: ignore[no-untyped-def]
        arithmetic.write(values, bits)
        arithmetic.read(bits, out)

    values = numpy.concatenate([VALUES, [numpy.nan]]).astype(numpy.float32)
    bits, found = numpy.empty(len(values), numpy.uint16), numpy.empty_like(values)
    round_trip(values, bits, found)
    expected = torch.from_numpy(values).bfloat16().float().numpy()
    numpy.testing.assert_array_equal(found, expected)
