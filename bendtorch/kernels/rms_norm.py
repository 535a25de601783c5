"""RMSNorm's kernels, one pass over memory each: a row stays in the cache between its sum and what is made of it.

Forward: y = x·k·w with k = 1 / sqrt(Σ x² / c + eps): 8 bytes and 4 FLOPs a number. The squares are summed in float64,
where none of a float32 overflows or vanishes. Backward, with x̂ = x·k: dx = k·(dy·w - x̂·Σ(dy·w·x̂) / c) and
dw = Σ dy·x̂ over the rows: 12 bytes and 11 FLOPs.

dw is summed in float32 over runs of rows (`row_runs`), and the runs' sums in float64.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.linear import add_column_sums
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.row_runs import ROWS, room_for_sums, row_to_read, row_to_write, runs_of_chunk
from bendtorch.kernels.rows import BLOCK, rows_of_chunk
from bendtorch.kernels.vecmath import fma

ZERO: Final = np.float32(0)


@reduction
def _square_sum(x: Flat) -> float:
    total = 0.0
    for i in range(x.size):
        wide = np.float64(x[i])
        total += wide * wide
    return total


@helper
def _normal(x: np.float32, k: np.float32) -> np.float32:
    """x̂; a function of its own, so that a reduction does not multiply k to what x may make overflow."""
    return x * k


@helper
def _normalised(x: Flat, k: np.float32, w: Flat, y: Flat) -> None:
    for i in range(x.size):
        y[i] = _normal(x[i], k) * w[i]


@kernel
def _forward_chunk(chunk: int, x: Matrix, w: Matrix, eps: float, y: Matrix, roots: Matrix, rows: int) -> None:
    n, c = x.shape
    low, high = chunk_bounds(chunk, rows, n)
    for r in range(low, high):
        roots[r, 0] = np.float32(1.0 / math.sqrt(_square_sum(x[r]) / c + eps))
        row_to_read(x, r + 1)
        _normalised(x[r], roots[r, 0], w[0], y[r])


@kernel
def rms_norm_forward(x: Matrix, w: Matrix, eps: float, y: Matrix, roots: Matrix) -> None:
    """y = x·k·w, and the k of each row into `roots`, a column."""
    n, c = x.shape
    rows = rows_of_chunk(c)
    parallel_for(_forward_chunk, chunks_of(n, rows), (x, w, eps, y, roots, rows))


@kernel
def _again_chunk(chunk: int, x: Matrix, w: Matrix, roots: Matrix, y: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, x.shape[0])
    for r in range(low, high):
        _normalised(x[r], roots[r, 0], w[0], y[r])


@kernel
def rms_norm_again(x: Matrix, w: Matrix, roots: Matrix, y: Matrix) -> None:
    """y = x·k·w once more, from the k of each row: for a backward pass, so that y need not be kept."""
    n, c = x.shape
    rows = rows_of_chunk(c)
    parallel_for(_again_chunk, chunks_of(n, rows), (x, w, roots, y, rows))


@reduction
def _dot_block(x: Flat, k: np.float32, w: Flat, dy: Flat) -> np.float32:
    total = ZERO
    for i in range(x.size):
        total += dy[i] * w[i] * _normal(x[i], k)
    return total


@helper
def _dot(x: Flat, k: np.float32, w: Flat, dy: Flat) -> float:
    """Σ dy·w·x̂."""
    total = 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        total += np.float64(_dot_block(x[low:high], k, w[low:high], dy[low:high]))
    return total


@helper
def _gradients(x: Flat, k: np.float32, w: Flat, dy: Flat, mean: np.float32, dx: Flat, dw: Flat) -> None:
    for i in range(x.size):
        normal = _normal(x[i], k)
        dx[i] = fma(-normal, mean, dy[i] * w[i]) * k
        dw[i] = fma(dy[i], normal, dw[i])


@kernel
def _backward_chunk(
    chunk: int, x: Matrix, roots: Matrix, w: Matrix, dy: Matrix, dx: Matrix, sums: Matrix, runs: int
) -> None:
    n, c = x.shape
    low, high = chunk_bounds(chunk, runs, sums.shape[0])
    for run in range(low, high):
        sums[run, :] = ZERO
        first, last = chunk_bounds(run, ROWS, n)
        for r in range(first, last):
            row_to_write(dx, r)
            mean = np.float32(_dot(x[r], roots[r, 0], w[0], dy[r]) / c)
            row_to_read(x, r + 1)
            row_to_read(dy, r + 1)
            _gradients(x[r], roots[r, 0], w[0], dy[r], mean, dx[r], sums[run])


@kernel
def rms_norm_backward(x: Matrix, roots: Matrix, w: Matrix, dy: Matrix, dx: Matrix, gw: Matrix) -> None:
    """dx, and dw added into `gw`."""
    n, c = x.shape
    runs, sums = runs_of_chunk(c), room_for_sums(n, c)
    parallel_for(_backward_chunk, chunks_of(sums.shape[0], runs), (x, roots, w, dy, dx, sums, runs))
    add_column_sums(sums, gw)
