"""Sums and maxima of the rows of a matrix: each number is read once, 4 bytes and one addition or comparison.

A sum is taken in blocks of float32 whose totals are float64: a running float32 sum forgets what is small beside it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import row_max, rows_of_chunk

BLOCK: Final = 256  # numbers summed in float32


@reduction
def block_sum(x: Flat) -> np.float32:
    """The sum in float32, in vector lanes: of a block, or where the last digits do not matter."""
    total = np.float32(0)
    for i in range(x.size):
        total += x[i]
    return total


@helper
def row_sum(x: Flat) -> float:
    """The sum of a row."""
    total = 0.0
    for low in range(0, x.size, BLOCK):
        total += np.float64(block_sum(x[low : min(x.size, low + BLOCK)]))
    return total


@kernel
def _sum_rows(chunk: int, x: Matrix, out: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, x.shape[0])
    for r in range(low, high):
        out[r, 0] = np.float32(row_sum(x[r]))


@kernel
def _max_rows(chunk: int, x: Matrix, out: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, x.shape[0])
    for r in range(low, high):
        out[r, 0] = row_max(x[r])


@kernel
def row_sums(x: Matrix, out: Matrix) -> None:
    """out (n × 1) = the sum of each row."""
    rows = rows_of_chunk(max(1, x.shape[1]))
    parallel_for(_sum_rows, chunks_of(x.shape[0], rows), (x, out, rows))


@kernel
def row_maxima(x: Matrix, out: Matrix) -> None:
    """out (n × 1) = the largest of each row; NaN where a row has one. Rows must not be empty."""
    rows = rows_of_chunk(max(1, x.shape[1]))
    parallel_for(_max_rows, chunks_of(x.shape[0], rows), (x, out, rows))
