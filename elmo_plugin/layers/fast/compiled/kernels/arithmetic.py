"""float32 arithmetic that vectorizes, and bfloat16 as the upper half of a float32."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from elmo_plugin.layers.fast.compiled.kernels import (
    compile_again_if_damaged,
    remove_outdated_code,
)

# No "nnan" and no "ninf": a training run that diverges must show NaN.
_FAST = {"contract", "nsz", "arcp", "reassoc"}
inlined = njit(fastmath=_FAST, inline="always", error_model="numpy")
"""Decorator of a function of single numbers."""
vectorized = njit(fastmath=_FAST, inline="never", error_model="numpy")
"""Decorator of a loop over one row."""


def compiled(function: Callable[..., Any]) -> Any:
    """
    Decorator of a kernel, which other threads run beside. Each process compiles it if there is no
    directory to cache it in.
    """
    try:
        kernel = njit(nogil=True, cache=True, error_model="numpy")(function)
    except RuntimeError:
        return njit(nogil=True, error_model="numpy")(function)
    compile_again_if_damaged(kernel._cache)
    remove_outdated_code(Path(__file__).parent, Path(kernel.stats.cache_path))
    return kernel


f32 = numpy.float32

_LOG2_E = f32(1.4426950408889634)
# The logarithm of 2 in two parts, the first with few enough bits that n times it is exact.
_LN2_HIGH, _LN2_LOW = f32(0.693145751953125), f32(1.4286068203094173e-06)


@intrinsic
def _as_float(_: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.uint32), generate


@intrinsic
def _as_bits(_: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(32))

    return types.uint32(types.float32), generate


@inlined
def clamp(value, low, high):  # type: ignore[no-untyped-def]
    """`value` between two bounds; NaN stays NaN."""
    value = high if value > high else value
    return low if value < low else value


@inlined
def _split_exp(value):  # type: ignore[no-untyped-def]
    """2^n and p with exp(value) = 2^n * (1 + p), |p| < 0.42."""
    value = clamp(value, f32(-87.0), f32(88.0))
    n = numpy.floor(value * _LOG2_E + f32(0.5))
    r = (value - n * _LN2_HIGH) - n * _LN2_LOW
    # Taylor's series: of |r| <= ln(2) / 2, the first term left out is below 2^-24 of the sum.
    p = f32(1 / 5040)
    p = p * r + f32(1 / 720)
    p = p * r + f32(1 / 120)
    p = p * r + f32(1 / 24)
    p = p * r + f32(1 / 6)
    p = p * r + f32(1 / 2)
    p = p * r * r + r
    return _as_float(numpy.uint32((numpy.int32(n) + numpy.int32(127)) << numpy.int32(23))), p


@inlined
def exp(value):  # type: ignore[no-untyped-def]
    scale, p = _split_exp(value)
    return scale * p + scale


@inlined
def sigmoid(value):  # type: ignore[no-untyped-def]
    return f32(1) / (f32(1) + exp(-value))


@inlined
def tanh(value):  # type: ignore[no-untyped-def]
    # expm1(-2|x|), exact to the last bits near 0 too
    scale, p = _split_exp(f32(-2) * abs(value))
    expm1 = scale * p + (scale - f32(1))
    magnitude = -expm1 / (f32(2) + expm1)
    return -magnitude if value < f32(0) else magnitude


def load(value: Any) -> Any:
    """The float32 of an array's element: itself, or of a bfloat16's 16 bits."""
    raise NotImplementedError("compiled code only")


@overload(load, inline="always")
def _load(value):  # type: ignore[no-untyped-def]
    if value == types.uint16:
        return lambda value: _as_float(numpy.uint32(value) << numpy.uint32(16))
    return lambda value: value


@inlined
def _to_bfloat16(value):  # type: ignore[no-untyped-def]
    """Round to nearest, ties to even. NaN stays NaN."""
    bits = _as_bits(value)
    odd = (bits >> numpy.uint32(16)) & numpy.uint32(1)
    rounded = (bits + numpy.uint32(0x7FFF) + odd) >> numpy.uint32(16)
    return numpy.uint16(rounded if value == value else numpy.uint32(0x7FC0))


@vectorized
def _write_float(values, row):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        row[k] = values[k]


@vectorized
def _write_bfloat16(values, row):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        row[k] = _to_bfloat16(values[k])


def write(values: Any, row: Any) -> None:
    """Store float32 values in a row, which may be of bfloat16."""
    raise NotImplementedError("compiled code only")


@overload(write)
def _write(values, row):  # type: ignore[no-untyped-def]
    if row.dtype == types.uint16:
        return lambda values, row: _write_bfloat16(values, row)
    return lambda values, row: _write_float(values, row)


@vectorized
def read(row, values):  # type: ignore[no-untyped-def]
    """The inverse of `write`."""
    for k in range(row.shape[0]):
        values[k] = load(row[k])
