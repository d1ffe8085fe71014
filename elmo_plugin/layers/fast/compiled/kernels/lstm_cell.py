"""One step of an LSTM's memory cell and its gradient, each in one pass over memory."""

from __future__ import annotations

import numpy

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import (
    clamp,
    compiled,
    f32,
    load,
    read,
    sigmoid,
    tanh,
    vectorized,
    write,
)


@vectorized
def _sigmoid(row):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        row[k] = sigmoid(row[k])


# `_tanh` does not vectorize if its input and its output are the same array.
@vectorized
def _tanh_in_place(row):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        row[k] = tanh(row[k])


@vectorized
def _tanh(row, out):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        out[k] = tanh(row[k])


@vectorized
def _next_cell(i, g, f, before, clip, cell):  # type: ignore[no-untyped-def]
    for k in range(cell.shape[0]):
        cell[k] = clamp(f[k] * before[k] + i[k] * g[k], -clip, clip)


@vectorized
def _multiply(x, y, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = x[k] * y[k]


@vectorized
def _multiply_in_place(x, y):  # type: ignore[no-untyped-def]
    for k in range(x.shape[0]):
        x[k] *= y[k]


@vectorized
def _add_in_place(x, y):  # type: ignore[no-untyped-def]
    for k in range(x.shape[0]):
        x[k] += y[k]


@compiled
def cell_forward(sums, bias, gates, before, clip, cells, outputs):  # type: ignore[no-untyped-def]
    """
    Write the activated gates, the clipped cells and o * tanh(cell) of one step.

    # Parameters

    sums : float32, the gates before bias and activation, in the order i, g, f, o. Further columns
        are not read. Shape (rows, 4 * dim).
    bias : float32. Shape (4 * dim,).
    gates : float32 or bfloat16. Shape (rows, 4 * dim).
    before : float32, cells of the step before. Shape (rows, dim).
    clip : float32, infinity for no bound.
    cells : float32. Shape (rows, dim).
    outputs : as `gates`. Shape (rows, dim).
    """
    dim = cells.shape[1]
    gate, output = numpy.empty(4 * dim, numpy.float32), numpy.empty(dim, numpy.float32)
    i, g, f, o = gate[:dim], gate[dim : 2 * dim], gate[2 * dim : 3 * dim], gate[3 * dim :]
    for row in range(gates.shape[0]):
        read(sums[row, : 4 * dim], gate)
        _add_in_place(gate, bias)
        _sigmoid(i)
        _tanh_in_place(g)
        _sigmoid(gate[2 * dim :])
        write(gate, gates[row])
        _next_cell(i, g, f, before[row], clip, cells[row])
        _tanh(cells[row], output)
        _multiply_in_place(output, o)
        write(output, outputs[row])


@vectorized
def _grad_cell(grad_output, o, tanh_cell, cell, later, clip, grad):  # type: ignore[no-untyped-def]
    for k in range(grad.shape[0]):
        through = grad_output[k] * o[k] * (f32(1) - tanh_cell[k] * tanh_cell[k]) + later[k]
        # A value at its bound has been clipped: no gradient passes.
        grad[k] = f32(0) if (cell[k] <= -clip) or (cell[k] >= clip) else through


@vectorized
def _grad_sigmoid(grad, factor, y, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = grad[k] * factor[k] * (y[k] - y[k] * y[k])


@vectorized
def _grad_tanh(grad, factor, y, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        out[k] = grad[k] * factor[k] * (f32(1) - y[k] * y[k])


@compiled
def cell_backward(  # type: ignore[no-untyped-def]
    grad_outputs, gates, before, cells, later, clip, grad_gates, grad_bias, outputs
):
    """
    Compute the gradient of `cell_forward`.

    # Parameters

    grad_outputs : float32. Further columns are not read. Shape (rows, dim).
    gates : float32 or bfloat16, after activation. Shape (rows, 4 * dim).
    before, cells : float32, of the step before and of this one. Shape (rows, dim).
    later : float32, the gradient of this step's cells from the step after; overwritten by that of
        the step before's cells. Shape (rows, dim).
    clip : float32, infinity for no bound.
    grad_gates : as `gates`, of the gates before activation. Shape (rows, 4 * dim).
    grad_bias : float32, to which their sum is added. Shape (4 * dim,).
    outputs : as `gates`, o * tanh(cell) once more. Shape (rows, dim).
    """
    dim = cells.shape[1]
    gate, grad_gate = numpy.empty(4 * dim, numpy.float32), numpy.empty(4 * dim, numpy.float32)
    i, g, f, o = gate[:dim], gate[dim : 2 * dim], gate[2 * dim : 3 * dim], gate[3 * dim :]
    grad_output, grad_cell = numpy.empty(dim, numpy.float32), numpy.empty(dim, numpy.float32)
    tanh_cell = numpy.empty(dim, numpy.float32)
    for row in range(gates.shape[0]):
        read(gates[row], gate)
        read(grad_outputs[row, :dim], grad_output)
        _tanh(cells[row], tanh_cell)
        _grad_cell(grad_output, o, tanh_cell, cells[row], later[row], clip, grad_cell)
        _grad_sigmoid(grad_cell, g, i, grad_gate[:dim])
        _grad_tanh(grad_cell, i, g, grad_gate[dim : 2 * dim])
        _grad_sigmoid(grad_cell, before[row], f, grad_gate[2 * dim : 3 * dim])
        _grad_sigmoid(grad_output, tanh_cell, o, grad_gate[3 * dim :])
        write(grad_gate, grad_gates[row])
        _add_in_place(grad_bias, grad_gate)
        _multiply(grad_cell, f, later[row])
        _multiply_in_place(tanh_cell, o)
        write(tanh_cell, outputs[row])


@vectorized
def _grad_hidden(grad, later, hidden, clip, out):  # type: ignore[no-untyped-def]
    for k in range(out.shape[0]):
        value = load(hidden[k])
        clipped = (value <= -clip) or (value >= clip)
        out[k] = f32(0) if clipped else grad[k] + later[k]


@compiled
def hidden_backward(grad_hidden, later, hidden, clip, grads):  # type: ignore[no-untyped-def]
    """
    Compute the gradient of the LSTM's output before clipping: what comes from above and from the
    step after. Further columns of `later` are not read. Shapes (rows, dim).
    """
    dim = grads.shape[1]
    grad = numpy.empty(dim, numpy.float32)
    for row in range(grads.shape[0]):
        _grad_hidden(grad_hidden[row], later[row, :dim], hidden[row], clip, grad)
        write(grad, grads[row])
