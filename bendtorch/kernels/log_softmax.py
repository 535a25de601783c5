"""Log-softmax's kernels, as softmax's: forward 8 bytes a number and 25 FLOPs, backward 12 bytes and 24.

Forward: y = (x - m) - log Σ exp(x - m), with m the largest x of the row. Backward: dx = dy - exp(y)·Σ dy. A row that
is all -inf gives -inf, and has no gradient.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import fill
from bendtorch.kernels.exp_rows import exp_panel, rows_of_panel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import row_max, rows_of_chunk, wide_sum
from bendtorch.kernels.vecmath import exp_nonpositive

ZERO: Final = np.float32(0)
MINUS_INFINITY: Final = np.float32(-np.inf)


@helper
def _subtract_twice(x: Flat, m: np.float32, log_sum: np.float32, y: Flat) -> None:
    for i in range(x.size):
        y[i] = (x[i] - m) - log_sum


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
                fill(y[first + r], MINUS_INFINITY)
            else:
                _subtract_twice(x[first + r], tops[r], np.float32(math.log(totals[r])), y[first + r])


@kernel
def log_softmax_forward(x: Matrix, y: Matrix) -> None:
    """y = log softmax of each row of x."""
    n, c = x.shape
    rows = rows_of_chunk(c)
    parallel_for(_forward_chunk, chunks_of(n, rows), (x, y, rows))


@helper
def _gradient(y: Flat, dy: Flat, total: np.float32, dx: Flat) -> None:
    for i in range(y.size):
        dx[i] = dy[i] - exp_nonpositive(y[i]) * total


@kernel
def _backward_chunk(chunk: int, y: Matrix, dy: Matrix, dx: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, y.shape[0])
    for r in range(low, high):
        if y[r, 0] == -np.inf and row_max(y[r]) == -np.inf:
            dx[r, :] = ZERO
        else:
            _gradient(y[r], dy[r], np.float32(wide_sum(dy[r])), dx[r])


@kernel
def log_softmax_backward(y: Matrix, dy: Matrix, dx: Matrix) -> None:
    """dx = dy - exp(y)·Σ dy, row by row."""
    n, c = y.shape
    rows = rows_of_chunk(c)
    parallel_for(_backward_chunk, chunks_of(n, rows), (y, dy, dx, rows))
