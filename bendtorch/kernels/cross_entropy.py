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
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.vecmath import exp, ordered, unordered

BLOCK: Final = 1024  # numbers summed in float32
CHUNK: Final = 1 << 14  # numbers a chunk of rows has at least
ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
LEAST: Final = np.int32(-(2**31))


@reduction
def row_max(x: Flat) -> np.float32:
    """The largest number; NaN where there is a NaN above everything. As integers, so that it needs no float flags."""
    most = LEAST
    for i in range(x.size):
        most = max(most, ordered(x[i]))
    return unordered(most)


@helper
def _exp_block(x: Flat, m: np.float32, e: Flat) -> None:
    for i in range(x.size):
        e[i] = exp(x[i] - m)


@reduction
def _rest_block(e: Flat) -> np.float32:
    """The sum of what is less than 1, or NaN."""
    total = ZERO
    for i in range(e.size):
        total += ZERO if e[i] >= ONE else e[i]
    return total


@reduction
def _ones_block(e: Flat) -> int:
    """How many are 1: the largest, and its equals."""
    count = 0
    for i in range(e.size):
        count += 1 if e[i] >= ONE else 0
    return count


@kernel
def exp_row(x: Flat, m: np.float32, e: Flat) -> tuple[int, float]:
    """e = exp(x - m), where m is the largest x; gives how many are 1, and the sum of the others.

    Apart, because a float32 sum of 1 and what is small forgets what is small, and log(1 + small) is the loss of a sure
    answer.
    """
    ones, rest = 0, 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        _exp_block(x[low:high], m, e[low:high])
        ones += _ones_block(e[low:high])
        rest += np.float64(_rest_block(e[low:high]))
    return ones, rest


@helper
def log_total(ones: int, rest: float) -> float:
    """log(ones + rest)."""
    return math.log1p(float(ones - 1) + rest)


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
    ones, rest = exp_row(x, m, dx)
    total = ones + rest
    hit = (np.float64(dx[label]) / total - 1.0) / n
    _scale(dx, np.float32(1.0 / (total * n)))
    dx[label] = np.float32(hit)
    return log_total(ones, rest) - (np.float64(x[label]) - np.float64(m))


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
    n, c = y.shape
    e = np.empty(c, np.float32)
    for r in range(chunk * rows, min(n, (chunk + 1) * rows)):
        m = row_max(y[r])
        if m == -np.inf:
            losses[r] = np.inf
        else:
            ones, rest = exp_row(y[r], m, e)
            losses[r] = log_total(ones, rest) - (np.float64(y[r, labels[r]]) - np.float64(m))


@kernel
def cross_entropy_value(y: Matrix, labels: Labels) -> float:
    """The mean loss alone."""
    n, c = y.shape
    losses = np.empty(n, np.float64)
    rows = max(1, CHUNK // c)
    parallel_for(_values, chunks_of(n, rows), (y, labels, losses, rows))
    total: float = losses.sum()
    return total / n
