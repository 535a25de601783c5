"""Cross-entropy's kernels: the loss and the gradient in one pass over each row, while the row is in the cache.

For a row x with label t: m = max x, e_j = exp(x_j - m), s = sum e; the loss is log s - (x_t - m), the gradient
(e_j / s - [j = t]) / n. Each logit is read once and each gradient written once: 8 bytes a number, about 25 FLOPs.

A row that is all -inf has loss +inf and gradient zero.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix, Totals
from bendtorch.kernels.compile import kernel
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.rows import exp_row, log_total, row_max, rows_of_chunk, scale

ZERO: Final = np.float32(0)


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
    scale(dx, np.float32(1.0 / (total * n)))
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
    rows = rows_of_chunk(c)
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
    rows = rows_of_chunk(c)
    parallel_for(_values, chunks_of(n, rows), (y, labels, losses, rows))
    total: float = losses.sum()
    return total / n
