"""LayerNorm's kernels, one pass over memory each: a row stays in the cache between its sums and what is made of it.

Forward: y = (x - mean)·k·w + b with k = 1 / sqrt(Σ (x - mean)² / c + eps): 8 bytes and 9 FLOPs a number. Mean and
variance are sums in float64, one after the other, so that a large mean costs no digits. Backward, with
x̂ = (x - mean)·k and h = dy·w: dx = k·(h - Σ h / c - x̂·Σ h·x̂ / c), dw = Σ dy·x̂ and db = Σ dy over the rows: 12 bytes
and 18 FLOPs.

The statistics of a row are three numbers: the mean rounded, k, and what the rounding dropped, times -k. With them x̂ is
(x - mean)·k + dropped, of which the difference is exact near a large mean, and the rest is rounded once.

dw and db are summed in float32 over runs of rows (`row_runs`), and the runs' sums in float64.
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
def _moments(x: Flat, pivot: float) -> tuple[float, float]:
    """The sums of x - pivot and of its square."""
    plain, square = 0.0, 0.0
    for i in range(x.size):
        distance = np.float64(x[i]) - pivot
        plain += distance
        square += distance * distance
    return plain, square


@helper
def _statistics(x: Flat, eps: float, out: Flat) -> None:
    pivot = np.float64(x[0])  # within √c deviations of the mean: the variance keeps all but log2(c) bits of a float64
    plain, square = _moments(x, pivot)
    offset = plain / x.size
    mean, variance = pivot + offset, square / x.size - offset * offset
    k = 1.0 / math.sqrt(variance + eps)
    out[0], out[1] = np.float32(mean), np.float32(k)
    out[2] = np.float32(k * (np.float64(out[0]) - mean))


@helper
def _normalised(x: Flat, statistics: Flat, w: Flat, b: Flat, y: Flat) -> None:
    mean, k, dropped = statistics[0], statistics[1], statistics[2]
    for i in range(x.size):
        y[i] = fma(fma(x[i] - mean, k, dropped), w[i], b[i])


@kernel
def _forward_chunk(
    chunk: int, x: Matrix, w: Matrix, b: Matrix, eps: float, y: Matrix, statistics: Matrix, rows: int
) -> None:
    low, high = chunk_bounds(chunk, rows, x.shape[0])
    for r in range(low, high):
        _statistics(x[r], eps, statistics[r])
        row_to_read(x, r + 1)
        _normalised(x[r], statistics[r], w[0], b[0], y[r])


@kernel
def layer_norm_forward(x: Matrix, w: Matrix, b: Matrix, eps: float, y: Matrix, statistics: Matrix) -> None:
    """y, and the statistics of each row."""
    n, c = x.shape
    rows = rows_of_chunk(c)
    parallel_for(_forward_chunk, chunks_of(n, rows), (x, w, b, eps, y, statistics, rows))


@reduction
def _block_sums(
    x: Flat, mean: np.float32, k: np.float32, dropped: np.float32, w: Flat, dy: Flat
) -> tuple[np.float32, np.float32]:
    plain, weighted = ZERO, ZERO
    for i in range(x.size):
        h = dy[i] * w[i]
        plain += h
        weighted += h * fma(x[i] - mean, k, dropped)
    return plain, weighted


@helper
def _means(x: Flat, statistics: Flat, w: Flat, dy: Flat) -> tuple[np.float32, np.float32]:
    """The means of h and of h·x̂."""
    mean, k, dropped = statistics[0], statistics[1], statistics[2]
    plain, weighted = 0.0, 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        block = _block_sums(x[low:high], mean, k, dropped, w[low:high], dy[low:high])
        plain += np.float64(block[0])
        weighted += np.float64(block[1])
    return np.float32(plain / x.size), np.float32(weighted / x.size)


@helper
def _gradients(
    x: Flat, statistics: Flat, w: Flat, dy: Flat, means: tuple[np.float32, np.float32], dx: Flat, dw: Flat, db: Flat
) -> None:
    mean, k, dropped = statistics[0], statistics[1], statistics[2]
    plain, weighted = means
    for i in range(x.size):
        normal = fma(x[i] - mean, k, dropped)
        dx[i] = fma(-normal, weighted, dy[i] * w[i] - plain) * k
        dw[i] = fma(dy[i], normal, dw[i])
        db[i] += dy[i]


@kernel
def _backward_chunk(
    chunk: int,
    x: Matrix,
    statistics: Matrix,
    w: Matrix,
    dy: Matrix,
    dx: Matrix,
    w_sums: Matrix,
    b_sums: Matrix,
    runs: int,
) -> None:
    n = x.shape[0]
    low, high = chunk_bounds(chunk, runs, w_sums.shape[0])
    for run in range(low, high):
        w_sums[run, :] = ZERO
        b_sums[run, :] = ZERO
        first, last = chunk_bounds(run, ROWS, n)
        for r in range(first, last):
            row_to_write(dx, r)
            means = _means(x[r], statistics[r], w[0], dy[r])
            row_to_read(x, r + 1)
            row_to_read(dy, r + 1)
            _gradients(x[r], statistics[r], w[0], dy[r], means, dx[r], w_sums[run], b_sums[run])


@kernel
def layer_norm_backward(
    x: Matrix, statistics: Matrix, w: Matrix, dy: Matrix, dx: Matrix, gw: Matrix, gb: Matrix
) -> None:
    """dx, and dw and db added into `gw` and `gb`."""
    n, c = x.shape
    runs, w_sums, b_sums = runs_of_chunk(c), room_for_sums(n, c), room_for_sums(n, c)
    arguments = (x, statistics, w, dy, dx, w_sums, b_sums, runs)
    parallel_for(_backward_chunk, chunks_of(w_sums.shape[0], runs), arguments)
    add_column_sums(w_sums, gw)
    add_column_sums(b_sums, gb)
