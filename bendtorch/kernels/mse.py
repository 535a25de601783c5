"""The kernels of the mean squared error: 12 bytes and 5 FLOPs a number; the value alone 8 bytes and 3 FLOPs.

Squares are summed in float64; each chunk has a total of its own, and those are added in order, so the bits do not
depend on the threads.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

CHUNK: Final = 1 << 14  # numbers a chunk


@helper
def _gradient(y: Flat, target: Flat, factor: np.float32, dy: Flat) -> None:
    for i in range(y.size):
        dy[i] = (y[i] - target[i]) * factor


@reduction
def _sum(y: Flat, target: Flat) -> float:
    total = 0.0
    for i in range(y.size):
        off = np.float64(y[i] - target[i])
        total += off * off
    return total


@kernel
def _values(chunk: int, y: Flat, target: Flat, totals: Totals) -> None:
    low, high = chunk_bounds(chunk, CHUNK, y.size)
    totals[chunk] = _sum(y[low:high], target[low:high])


@kernel
def _gradients(chunk: int, y: Flat, target: Flat, totals: Totals, factor: np.float32, dy: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, y.size)
    _gradient(y[low:high], target[low:high], factor, dy[low:high])
    totals[chunk] = _sum(y[low:high], target[low:high])  # which are in the cache now


@kernel
def mse_value(y: Matrix, target: Matrix) -> float:
    """The mean of (y - target)² over every number."""
    totals = np.empty(chunks_of(y.size, CHUNK), np.float64)
    parallel_for(_values, totals.size, (y.ravel(), target.ravel(), totals))
    total: float = totals.sum()
    return total / y.size


@kernel
def mse(y: Matrix, target: Matrix, dy: Matrix) -> float:
    """The same, and its gradient 2·(y - target) / (number of numbers) into dy."""
    totals = np.empty(chunks_of(y.size, CHUNK), np.float64)
    factor = np.float32(2.0 / y.size)
    parallel_for(_gradients, totals.size, (y.ravel(), target.ravel(), totals, factor, dy.ravel()))
    total: float = totals.sum()
    return total / y.size
