"""Softmax's kernels: a row is read from memory once and stays in the cache for its maximum, its exponentials and sums.

Forward: y = exp(x - m) / Σ exp(x - m), with m the largest x of the row: 8 bytes and 24 FLOPs a number. Backward:
dx = y·(dy - Σ y·dy): 12 bytes, 4 FLOPs. A row that is all -inf gives zeros.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.exp_rows import exp_panel, rows_of_panel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import rows_of_chunk

ZERO: Final = np.float32(0)


@helper
def _scale(y: Flat, factor: np.float32) -> None:
    for i in range(y.size):
        y[i] *= factor


@kernel
def _forward_chunk(chunk: int, x: Matrix, y: Matrix, rows: int) -> None:
    n, c = x.shape
    panel = rows_of_panel(c)
    tops, totals = np.empty(panel, np.float32), np.empty(panel, np.float64)
    low, high = chunk_bounds(chunk, rows, n)
    for first in range(low, high, panel):
        end = min(high, first + panel)
        exp_panel(x[first:end], y[first:end], tops, totals)
        for r in range(end - first):
            if tops[r] == -np.inf:
                y[first + r, :] = ZERO
            else:
                _scale(y[first + r], np.float32(1.0 / totals[r]))


@kernel
def softmax_forward(x: Matrix, y: Matrix) -> None:
    """y = softmax of each row of x."""
    n, c = x.shape
    rows = rows_of_chunk(c)
    parallel_for(_forward_chunk, chunks_of(n, rows), (x, y, rows))


@reduction
def _dot(a: Flat, b: Flat) -> float:
    total = 0.0
    for i in range(a.size):
        total += np.float64(a[i]) * np.float64(b[i])
    return total


@helper
def _gradient(y: Flat, dy: Flat, mean: np.float32, dx: Flat) -> None:
    for i in range(y.size):
        dx[i] = y[i] * (dy[i] - mean)


@kernel
def _backward_chunk(chunk: int, y: Matrix, dy: Matrix, dx: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, y.shape[0])
    for r in range(low, high):
        _gradient(y[r], dy[r], np.float32(_dot(y[r], dy[r])), dx[r])


@kernel
def softmax_backward(y: Matrix, dy: Matrix, dx: Matrix) -> None:
    """dx = y·(dy - <y, dy>), row by row: <y, dy> is the mean of dy under the probabilities y."""
    n, c = y.shape
    rows = rows_of_chunk(c)
    parallel_for(_backward_chunk, chunks_of(n, rows), (y, dy, dx, rows))
