"""Arithmetic of matrices, number by number: a matrix with another, with a row, with a column, with one number.

12 bytes a number (8 where the other operand is small) and one FLOP, so it runs at memory's speed. The operation is an
argument, asked for once a stretch of numbers: one compiled function serves all of them. Every result is rounded once.

A matrix is worked through as one long row of numbers, in chunks of a fixed length, however its rows are cut: few long
rows keep all threads busy as well as many short ones.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy
from bendtorch.kernels.panels import add_into
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

CHUNK: Final = 1 << 15  # numbers a chunk
STRETCH: Final = 512  # numbers that are worth a loop

ADD: Final = 0
SUBTRACT: Final = 1
MULTIPLY: Final = 2
DIVIDE: Final = 3
MAXIMUM: Final = 4  # NaN where either is NaN; the first of equal ones, which decides between -0 and +0
MINIMUM: Final = 5


@helper
def _arrays(operation: int, a: Flat, b: Flat, out: Flat) -> None:
    """out = a (operation) b, for two stretches of numbers."""
    if operation == ADD:
        for i in range(a.size):
            out[i] = a[i] + b[i]
    elif operation == SUBTRACT:
        for i in range(a.size):
            out[i] = a[i] - b[i]
    elif operation == MULTIPLY:
        for i in range(a.size):
            out[i] = a[i] * b[i]
    elif operation == DIVIDE:
        for i in range(a.size):
            out[i] = a[i] / b[i]
    elif operation == MAXIMUM:
        for i in range(a.size):
            out[i] = a[i] if a[i] >= b[i] or a[i] != a[i] else b[i]
    else:
        for i in range(a.size):
            out[i] = a[i] if a[i] <= b[i] or a[i] != a[i] else b[i]


@helper
def _array_number(operation: int, a: Flat, b: np.float32, out: Flat) -> None:
    """out = a (operation) b, for a stretch of numbers and one number."""
    if operation == ADD:
        for i in range(a.size):
            out[i] = a[i] + b
    elif operation == SUBTRACT:
        for i in range(a.size):
            out[i] = a[i] - b
    elif operation == MULTIPLY:
        for i in range(a.size):
            out[i] = a[i] * b
    elif operation == DIVIDE:
        for i in range(a.size):
            out[i] = a[i] / b
    elif operation == MAXIMUM:
        for i in range(a.size):
            out[i] = a[i] if a[i] >= b or a[i] != a[i] else b
    else:
        for i in range(a.size):
            out[i] = a[i] if a[i] <= b or a[i] != a[i] else b


@kernel
def _matrix_chunk(chunk: int, operation: int, a: Flat, b: Flat, out: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, a.size)
    _arrays(operation, a[low:high], b[low:high], out[low:high])


@kernel
def _row_chunk(chunk: int, operation: int, a: Flat, row: Flat, out: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, a.size)
    while low < high:
        column = low % row.size
        length = min(row.size - column, high - low)
        _arrays(operation, a[low : low + length], row[column : column + length], out[low : low + length])
        low += length


@kernel
def _column_chunk(chunk: int, operation: int, a: Flat, column: Flat, out: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, a.size)
    width = a.size // column.size
    while low < high:
        r = low // width
        end = min((r + 1) * width, high)
        _array_number(operation, a[low:end], column[r], out[low:end])
        low = end


@kernel
def _number_chunk(chunk: int, operation: int, a: Flat, b: np.float32, out: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, a.size)
    _array_number(operation, a[low:high], b, out[low:high])


@kernel
def with_matrix(operation: int, a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a (operation) b, for matrices of one shape."""
    parallel_for(_matrix_chunk, chunks_of(a.size, CHUNK), (operation, a.ravel(), b.ravel(), out.ravel()))


@helper
def _repeated(row: Flat) -> Flat:
    """The row, as often as makes it long enough for vector lanes."""
    times = 1 if row.size == 0 else chunks_of(STRETCH, row.size)
    long = np.empty(times * row.size, np.float32)
    for i in range(times):
        copy(row, long[i * row.size : (i + 1) * row.size])
    return long


@kernel
def with_row(operation: int, a: Matrix, row: Matrix, out: Matrix) -> None:
    """out = a (operation) the row, in every row of a."""
    long = _repeated(row.ravel())  # for several short rows of a at a time, which lie one behind the other
    parallel_for(_row_chunk, chunks_of(a.size, CHUNK), (operation, a.ravel(), long, out.ravel()))


@kernel
def with_column(operation: int, a: Matrix, column: Matrix, out: Matrix) -> None:
    """out = a (operation) the column, in every column of a."""
    parallel_for(_column_chunk, chunks_of(a.size, CHUNK), (operation, a.ravel(), column.ravel(), out.ravel()))


@kernel
def with_number(operation: int, a: Matrix, b: np.float32, out: Matrix) -> None:
    """out = a (operation) b, for one number b."""
    parallel_for(_number_chunk, chunks_of(a.size, CHUNK), (operation, a.ravel(), b, out.ravel()))


@kernel
def _accumulate_chunk(chunk: int, source: Flat, target: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, target.size)
    add_into(source[low:high], target[low:high])


@kernel
def accumulate(source: Matrix, target: Matrix) -> None:
    """target += source."""
    parallel_for(_accumulate_chunk, chunks_of(target.size, CHUNK), (source.ravel(), target.ravel()))
