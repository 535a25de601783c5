"""Cross-entropy's kernels: the loss and the gradient in one pass over each row, while the row is in the cache.

For a row x with label t: m = max x, e_j = exp(x_j - m), s = sum e; the loss is log s - (x_t - m), the gradient
(e_j / s - [j = t]) / n. Each logit is read once and each gradient written once: 8 bytes a number, about 25 FLOPs.

Sums are taken in blocks of float32 whose totals are float64. A row that is all -inf has loss +inf and gradient zero.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix, Totals
from bendtorch.kernels.compile import kernel, reduction
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.vecmath import exp, ordered, unordered

BLOCK: Final = 1024  # numbers summed in float32
CHUNK: Final = 1 << 14  # numbers a chunk of rows has at least
ZERO: Final = np.float32(0)
LEAST: Final = np.int32(-(2**31))


@reduction
def row_max(x: Flat) -> np.float32:
    """The largest number; NaN where there is a NaN above everything. As integers, so that it needs no float flags."""
    most = LEAST
    for i in range(x.size):
        most = max(most, ordered(x[i]))
    return unordered(most)


@reduction
def _exp_block(x: Flat, m: np.float32, e: Flat) -> np.float32:
    total = ZERO
    for i in range(x.size):
        e[i] = exp(x[i] - m)
        total += e[i]
    return total


@reduction
def _exp_sum_block(x: Flat, m: np.float32) -> np.float32:
    total = ZERO
    for i in range(x.size):
        total += exp(x[i] - m)
    return total


@kernel
def exp_row(x: Flat, m: np.float32, e: Flat) -> float:
    """e = exp(x - m); gives their sum."""
    total = 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        total += np.float64(_exp_block(x[low:high], m, e[low:high]))
    return total


@kernel
def exp_sum(x: Flat, m: np.float32) -> float:
    """The sum of exp(x - m)."""
    total = 0.0
    for low in range(0, x.size, BLOCK):
        total += np.float64(_exp_sum_block(x[low : min(x.size, low + BLOCK)], m))
    return total


@kernel
def _scale(x: Flat, factor: np.float32) -> None:
    for i in range(x.size):
        x[i] *= factor


@kernel
def _row(x: Flat, label: int, n: int, dx: Flat) -> float:
    """The loss of one row; its gradient, divided by n, into dx."""
    m = row_max(x)
    if m == -np.inf:
        dx[:] = ZERO
        return np.inf
    total = exp_row(x, m, dx)
    hit = (np.float64(dx[label]) / total - 1.0) / n
    _scale(dx, np.float32(1.0 / (total * n)))
    dx[label] = np.float32(hit)
    return math.log(total) - (np.float64(x[label]) - np.float64(m))


@kernel
def _rows(chunk: int, y: Matrix, labels: Labels, dy: Matrix, losses: Totals, rows: int) -> None:
    n = y.shape[0]
    for r in range(chunk * rows, min(n, (chunk + 1) * rows)):
        losses[r] = _row(y[r], labels[r], n, dy[r])


@kernel
def cross_entropy(y: Matrix, labels: Labels, dy: Matrix) -> float:
    """The mean loss; the gradient of the logits into dy. Labels must be in range."""
    n, c = y.shape
    losses = np.empty(n, np.float64)
    rows = max(1, CHUNK // c)
    parallel_for(_rows, chunks_of(n, rows), (y, labels, dy, losses, rows))
    total: float = losses.sum()
    return total / n


@kernel
def _values(chunk: int, y: Matrix, labels: Labels, losses: Totals, rows: int) -> None:
    n = y.shape[0]
    for r in range(chunk * rows, min(n, (chunk + 1) * rows)):
        m = row_max(y[r])
        if m == -np.inf:
            losses[r] = np.inf
        else:
            losses[r] = math.log(exp_sum(y[r], m)) - (np.float64(y[r, labels[r]]) - np.float64(m))


@kernel
def cross_entropy_value(y: Matrix, labels: Labels) -> float:
    """The mean loss alone."""
    n, c = y.shape
    losses = np.empty(n, np.float64)
    rows = max(1, CHUNK // c)
    parallel_for(_values, chunks_of(n, rows), (y, labels, losses, rows))
    total: float = losses.sum()
    return total / n
