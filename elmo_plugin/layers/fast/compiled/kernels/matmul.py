"""Matrix products that compiled loops call: sums of a few rows are kept in vector registers."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils, codegen, config
from numba.extending import intrinsic

from elmo_plugin.layers.fast.compiled.kernels.arithmetic import compiled

# The features of the processor that numba compiles for.
_FEATURES = config.CPU_FEATURES
if _FEATURES is None:
    _FEATURES = codegen.get_host_cpu_features()
_HAS_AVX512 = "+avx512f" in _FEATURES.split(",")
_HAS_BFLOAT16 = "+avx512bf16" in _FEATURES.split(",")

# Numbers in a vector, and vectors in a row of sums: four rows of them fit into the registers.
_LANES, _VECTORS = (16, 4) if _HAS_AVX512 else (8, 2)
BLOCK = _LANES * _VECTORS
"""Columns of a matrix that lie together, see `multiply_add`."""
CAN_PAIR = _HAS_AVX512 and _HAS_BFLOAT16
"""True if the processor has an instruction for products of bfloat16 in pairs."""

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(ir.FloatType(), _LANES)


class _Operand(NamedTuple):
    """An array's first element, and the bytes from row to row."""

    start: Any
    stride: Any
    columns: Any


def _operand(context: Any, builder: Any, kind: Any, value: Any, pairs: bool) -> _Operand:
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    stride = cgutils.unpack_tuple(builder, array.strides, kind.ndim)[0]
    columns = cgutils.unpack_tuple(builder, array.shape, kind.ndim)[1]
    if not pairs:
        return _Operand(array.data, stride, columns)
    # A pair of bfloat16 is as long as a float, and is moved like one.
    start = builder.bitcast(array.data, ir.FloatType().as_pointer())
    return _Operand(start, stride, builder.udiv(columns, ir.Constant(_INDEX, 2)))


def _row(builder: Any, operand: _Operand, row: int) -> Any:
    start = builder.bitcast(operand.start, ir.IntType(8).as_pointer())
    start = builder.gep(start, [builder.mul(operand.stride, ir.Constant(_INDEX, row))])
    return builder.bitcast(start, operand.start.type)


def _vector_pointer(builder: Any, pointer: Any, vector: int) -> Any:
    pointer = builder.gep(pointer, [ir.Constant(_INDEX, vector * _LANES)])
    return builder.bitcast(pointer, ir.VectorType(pointer.type.pointee, _LANES).as_pointer())


def _load_vector(builder: Any, pointer: Any, vector: int) -> Any:
    """Load floats, or the upper halves of floats (bfloat16)."""
    size = 4 if isinstance(pointer.type.pointee, ir.FloatType) else 2
    values = builder.load(_vector_pointer(builder, pointer, vector), align=size)
    if size == 4:
        return values
    bits = ir.VectorType(ir.IntType(32), _LANES)
    shifted = builder.shl(builder.zext(values, bits), ir.Constant(bits, [16] * _LANES))
    return builder.bitcast(shifted, _VECTOR)


def _load_repeated(builder: Any, pointer: Any) -> Any:
    """Load one number into all lanes."""
    value = builder.load(pointer, align=2)
    if not isinstance(value.type, ir.FloatType):
        bits = ir.IntType(32)
        value = builder.shl(builder.zext(value, bits), ir.Constant(bits, 16))
        value = builder.bitcast(value, ir.FloatType())
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
    return builder.shuffle_vector(first, undefined, lanes)


def _add_product(builder: Any, total: Any, factor: Any, column: Any, pairs: bool) -> Any:
    if pairs:
        bits = ir.VectorType(ir.IntType(32), _LANES)
        kind = ir.FunctionType(_VECTOR, [_VECTOR, bits, bits])
        name = "llvm.x86.avx512bf16.dpbf16ps.512"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        operands = [builder.bitcast(value, bits) for value in (factor, column)]
        return builder.call(function, [total, *operands])
    product = builder.fmul(factor, column, flags=("contract",))
    return builder.fadd(total, product, flags=("contract",))


def _generate(rows: int, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pairs = signature.args[1].ndim == 3
    left, matrix, sums = (
        _operand(context, builder, kind, value, pairs and k < 2)
        for k, (kind, value) in enumerate(zip(signature.args, arguments))
    )
    left_rows = [_row(builder, left, row) for row in range(rows)]
    sums_rows = [_row(builder, sums, row) for row in range(rows)]
    positions = [(row, vector) for row in range(rows) for vector in range(_VECTORS)]
    totals = {position: cgutils.alloca_once(builder, _VECTOR) for position in positions}
    for row, vector in positions:
        builder.store(_load_vector(builder, sums_rows[row], vector), totals[row, vector])
    with cgutils.for_range(builder, left.columns) as loop:
        here = builder.gep(matrix.start, [builder.mul(loop.index, ir.Constant(_INDEX, BLOCK))])
        columns = [_load_vector(builder, here, vector) for vector in range(_VECTORS)]
        for row in range(rows):
            factor = _load_repeated(builder, builder.gep(left_rows[row], [loop.index]))
            for vector in range(_VECTORS):
                total = builder.load(totals[row, vector])
                total = _add_product(builder, total, factor, columns[vector], pairs)
                builder.store(total, totals[row, vector])
    for row, vector in positions:
        pointer = _vector_pointer(builder, sums_rows[row], vector)
        builder.store(builder.load(totals[row, vector]), pointer, align=4)
    return context.get_dummy_value()


def _multiply_add_rows(rows: int) -> Any:
    @intrinsic
    def multiply_add_rows(_: Any, left: Any, matrix: Any, sums: Any) -> Any:
        return types.none(left, matrix, sums), partial(_generate, rows)

    return multiply_add_rows


_one_row, _two_rows, _four_rows = (
    _multiply_add_rows(1),
    _multiply_add_rows(2),
    _multiply_add_rows(4),
)


@compiled
def multiply_add(left, blocks, sums):  # type: ignore[no-untyped-def]
    """
    Add `left @ matrix` to `sums`, in float32. Each element is summed in the order of the matrix's
    rows, so that it does not depend on the number of rows of `left`.

    # Parameters

    left : float32 or bfloat16, rows contiguous. Shape (rows, in).
    blocks : the matrix, see `column_blocks`.
    sums : float32, rows contiguous. Shape (rows, blocks * BLOCK).
    """
    rows = left.shape[0]
    for k in range(blocks.shape[0]):
        matrix, part = blocks[k], sums[:, k * BLOCK : (k + 1) * BLOCK]
        row = 0
        while row + 4 <= rows:
            _four_rows(left[row : row + 4], matrix, part[row : row + 4])
            row += 4
        if row + 2 <= rows:
            _two_rows(left[row : row + 2], matrix, part[row : row + 2])
            row += 2
        if row < rows:
            _one_row(left[row:], matrix, part[row:])
