"""All steps of one direction of a projected LSTM, without the interpreter between them."""

from __future__ import annotations

import numpy

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import (
    clamp,
    compiled,
    vectorized,
    write,
)
from elmo_plugin.layers.fast.compiled.kernels.lstm_cell import (
    cell_backward,
    cell_forward,
    hidden_backward,
)
from elmo_plugin.layers.fast.compiled.kernels.matmul import BLOCK, multiply_add

# Rows of a product. Their sums stay in the processor's cache until they are used, and a large
# matrix is read from memory once for all of them.
_GROUP = 64


@vectorized
def _clamp(row, bound):  # type: ignore[no-untyped-def]
    for k in range(row.shape[0]):
        row[k] = clamp(row[k], -bound, bound)


@compiled
def _whole_steps(batch_sizes, step, first, last):  # type: ignore[no-untyped-def]
    """Return the end of the last step that fits, whole, into the group of rows from `first` on.
    `last` is the end of step `step`."""
    for size in batch_sizes[step + 1 :]:
        if last + size - first > _GROUP:
            break
        last += size
    return last


@compiled
def _multiply(left, blocks, product):  # type: ignore[no-untyped-def]
    product[:] = 0
    multiply_add(left, blocks, product)


@compiled
def _project(outputs, projection, clip, sums, hidden):  # type: ignore[no-untyped-def]
    """Write the clipped projection of some rows; `sums` is overwritten."""
    _multiply(outputs, projection, sums)
    for row in range(len(hidden)):
        projected = sums[row, : hidden.shape[1]]
        _clamp(projected, clip)
        write(projected, hidden[row])


@compiled
def forward_steps(  # type: ignore[no-untyped-def]
    inputs,
    kernel,
    recurrent,
    bias,
    projection,
    state_hidden,
    state_cells,
    batch_sizes,
    clips,
    gates,
    cells,
    hidden,
):
    """
    Compute the gates, cells and outputs of all steps.

    # Parameters

    inputs : float32 or bfloat16, the operands' type. Shape (words, input_dim).
    kernel, recurrent, projection : as `inputs`, see `column_blocks`.
    bias : float32. Shape (4 * dim,).
    state_hidden : as `inputs`. Shape (rows, projection_dim).
    state_cells : float32. Shape (rows, dim).
    batch_sizes : int64. Shape (steps,).
    clips : float32, of cells and of outputs, infinity for no bound. Shape (2,).
    gates : as `inputs`, written, after activation. Shape (words, 4 * dim), or (0, 4 * dim) to keep
        none.
    cells : float32, written. Shape (words, dim).
    hidden : as `inputs`, written. Shape (words, projection_dim).
    """
    sums = numpy.empty((_GROUP, recurrent.shape[0] * BLOCK), numpy.float32)
    outputs = numpy.empty((_GROUP, cells.shape[1]), gates.dtype)
    projected = numpy.empty((_GROUP, projection.shape[0] * BLOCK), numpy.float32)
    unkept = numpy.empty((0 if len(gates) else _GROUP, gates.shape[1]), gates.dtype)
    before_hidden, before_cells, start = state_hidden, state_cells, 0
    summed_from, summed_to = 0, 0
    for step in range(len(batch_sizes)):
        stop = start + batch_sizes[step]
        for first in range(start, stop, _GROUP):
            last = min(first + _GROUP, stop)
            rows, before = last - first, slice(first - start, last - start)
            if last > summed_to:
                # The inputs' part of the gates does not wait for the step before.
                summed_from, summed_to = first, last
                if last == stop:
                    summed_to = _whole_steps(batch_sizes, step, first, last)
                part = inputs[summed_from:summed_to]
                _multiply(part, kernel, sums[: len(part)])
            here = sums[first - summed_from : last - summed_from]
            multiply_add(before_hidden[before], recurrent, here)
            gate = gates[first:last] if len(gates) else unkept[:rows]
            cell, output = cells[first:last], outputs[:rows]
            cell_forward(here, bias, gate, before_cells[before], clips[0], cell, output)
            _project(output, projection, clips[1], projected[:rows], hidden[first:last])
        before_hidden, before_cells, start = hidden[start:stop], cells[start:stop], stop


@compiled
def backward_steps(  # type: ignore[no-untyped-def]
    grad_outputs,
    gates,
    cells,
    hidden,
    state_cells,
    recurrent,
    projection,
    batch_sizes,
    clips,
    later_hidden,
    later_cells,
    grad_gates,
    grad_bias,
    grad_hidden,
    outputs,
):
    """
    Compute the gradient of `forward_steps`.

    # Parameters

    grad_outputs : float32, of `hidden`. Shape (words, projection_dim).
    recurrent, projection : as `gates`, transposed, see `column_blocks`.
    later_hidden : float32, zeros; overwritten by the gradient of the first state. Columns
        after `projection_dim` are padding. Shape (rows, blocks * BLOCK).
    later_cells : float32, zeros; overwritten by the gradient of the first cells. Shape (rows, dim).
    grad_gates : as `gates`, written. Shape (words, 4 * dim).
    grad_bias : float32, to which is added. Shape (4 * dim,).
    grad_hidden : as `gates`, written: of the outputs before clipping. Shape (words,
        projection_dim).
    outputs : as `gates`, written: o * tanh(cell). Shape (words, dim).
    """
    sums = numpy.empty((_GROUP, projection.shape[0] * BLOCK), numpy.float32)
    stop = len(gates)
    for step in range(len(batch_sizes) - 1, -1, -1):
        start = stop - batch_sizes[step]
        before_cells = cells[start - batch_sizes[step - 1] : start] if step else state_cells
        for first in range(start, stop, _GROUP):
            last = min(first + _GROUP, stop)
            rows, here = last - first, slice(first - start, last - start)
            above, output = grad_outputs[first:last], hidden[first:last]
            grads = grad_hidden[first:last]
            hidden_backward(above, later_hidden[here], output, clips[1], grads)
            _multiply(grads, projection, sums[:rows])
            gate, cell, grad_gate = gates[first:last], cells[first:last], grad_gates[first:last]
            cell_backward(
                *(sums[:rows], gate, before_cells[here], cell, later_cells[here], clips[0]),
                *(grad_gate, grad_bias, outputs[first:last]),
            )
            _multiply(grad_gate, recurrent, later_hidden[here])
        stop = start
