"""
`fast.cell` as Triton kernels: each step in one pass over memory.

A program computes a block of columns of one row in one direction. Rows of a direction are adjacent;
directions are `stride` elements apart. Offsets are 64-bit: the gates of a long text have more than
2^31 elements. A comparison with NaN is false, so bounds written by `where` let NaN pass, as torch's
do; `tl.minimum` would not.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _sigmoid(x):  # type: ignore[no-untyped-def]
    return 1 / (1 + tl.exp(-x))


@triton.jit
def _tanh(x):  # type: ignore[no-untyped-def]
    # Cephes' polynomial near 0, where the other formula loses digits.
    y = x * x
    p = -5.70498872745e-3
    p = p * y + 2.06390887954e-2
    p = p * y - 5.37397155531e-2
    p = p * y + 1.33314422036e-1
    p = p * y - 3.33332819422e-1
    magnitude = 1 - 2 / (tl.exp(2 * tl.abs(x)) + 1)
    large = tl.where(x < 0, -magnitude, magnitude)
    return tl.where(tl.abs(x) < 0.625, x + x * y * p, large)


@triton.jit
def _position(block: tl.constexpr):  # type: ignore[no-untyped-def]
    """Row, direction and columns of this program."""
    row, direction = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    return row, direction, tl.program_id(2) * block + tl.arange(0, block)


@triton.jit
def cell_forward(  # type: ignore[no-untyped-def]
    gates, gates_stride, previous, previous_stride, cell, cell_stride, output, output_stride,
    clip, dim, block: tl.constexpr,
):  # fmt: skip
    """See `fast.cell.cell_forward`."""
    row, direction, column = _position(block)
    used = column < dim
    real = cell.dtype.element_ty
    gates += direction * gates_stride + row * 4 * dim + column
    here = row * dim + column
    i = _sigmoid(tl.load(gates, used).to(real))
    g = _tanh(tl.load(gates + dim, used).to(real))
    f = _sigmoid(tl.load(gates + 2 * dim, used).to(real))
    o = _sigmoid(tl.load(gates + 3 * dim, used).to(real))
    c = f * tl.load(previous + direction * previous_stride + here, used) + i * g
    c = tl.where(c > clip, clip, tl.where(c < -clip, -clip, c)).to(real)
    tl.store(gates, i, used)
    tl.store(gates + dim, g, used)
    tl.store(gates + 2 * dim, f, used)
    tl.store(gates + 3 * dim, o, used)
    tl.store(cell + direction * cell_stride + here, c, used)
    tl.store(output + direction * output_stride + here, o * _tanh(c), used)


@triton.jit
def hidden_backward(  # type: ignore[no-untyped-def]
    grad_outputs, grad_outputs_stride, later, later_stride, hidden, hidden_stride,
    grad_hidden, grad_hidden_stride, clip, dim, block: tl.constexpr,
):  # fmt: skip
    """See `fast.cell.hidden_backward`."""
    row, direction, column = _position(block)
    used = column < dim
    real = grad_outputs.dtype.element_ty
    here = row * dim + column
    gradient = tl.load(grad_outputs + direction * grad_outputs_stride + here, used)
    gradient += tl.load(later + direction * later_stride + here, used).to(real)
    h = tl.load(hidden + direction * hidden_stride + here, used).to(real)
    gradient = tl.where((h <= -clip) | (h >= clip), 0.0, gradient)
    tl.store(grad_hidden + direction * grad_hidden_stride + here, gradient, used)


@triton.jit
def cell_backward(  # type: ignore[no-untyped-def]
    grad_output, grad_output_stride, gates, gates_stride, cell, cell_stride,
    previous, previous_stride, grad_cell, grad_cell_stride, grad_gates, grad_gates_stride,
    output, output_stride, clip, dim, block: tl.constexpr,
):  # fmt: skip
    """See `fast.cell.cell_backward`."""
    row, direction, column = _position(block)
    used = column < dim
    real = cell.dtype.element_ty
    here = row * dim + column
    gates += direction * gates_stride + row * 4 * dim + column
    grad_gates += direction * grad_gates_stride + row * 4 * dim + column
    grad_cell += direction * grad_cell_stride + here
    i = tl.load(gates, used).to(real)
    g = tl.load(gates + dim, used).to(real)
    f = tl.load(gates + 2 * dim, used).to(real)
    o = tl.load(gates + 3 * dim, used).to(real)
    c = tl.load(cell + direction * cell_stride + here, used)
    tanh_cell = _tanh(c)
    from_output = tl.load(grad_output + direction * grad_output_stride + here, used).to(real)
    gradient = from_output * o * (1 - tanh_cell * tanh_cell) + tl.load(grad_cell, used)
    # A value at its bound has been clipped: no gradient passes.
    gradient = tl.where((c <= -clip) | (c >= clip), 0.0, gradient)
    before = tl.load(previous + direction * previous_stride + here, used)
    tl.store(grad_gates, gradient * g * i * (1 - i), used)
    tl.store(grad_gates + dim, gradient * i * (1 - g * g), used)
    tl.store(grad_gates + 2 * dim, gradient * before * f * (1 - f), used)
    tl.store(grad_gates + 3 * dim, from_output * tanh_cell * o * (1 - o), used)
    tl.store(output + direction * output_stride + here, o * tanh_cell, used)
    tl.store(grad_cell, gradient * f, used)
