"""The kernels of the negative log-likelihood: one number a row is read, the rest of the gradient is zeros.

Traffic: 4 bytes a number, written. FLOPs: a few a row, none a number.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix
from bendtorch.kernels.compile import kernel
from bendtorch.kernels.labels import inverse, total_weight
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

CHUNK: Final = 1 << 14  # numbers a chunk of rows has at least
ZERO: Final = np.float32(0)


@kernel
def nll_value(y: Matrix, labels: Labels, weights: Flat, ignored: int) -> float:
    """The weighted mean of -y[label] over the rows whose label is not ignored; 0 where there is none."""
    total = 0.0
    for r in range(labels.size):
        if labels[r] != ignored:
            total -= np.float64(weights[labels[r]]) * np.float64(y[r, labels[r]])
    return total * inverse(total_weight(labels, weights, ignored))


@kernel
def _rows(chunk: int, labels: Labels, weights: Flat, ignored: int, share: float, dy: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, labels.size)
    for r in range(low, high):
        dy[r] = ZERO
        if labels[r] != ignored:
            dy[r, labels[r]] = np.float32(-np.float64(weights[labels[r]]) * share)


@kernel
def nll_gradient(labels: Labels, weights: Flat, ignored: int, dy: Matrix) -> None:
    """The gradient of `nll_value`, which does not depend on y. Labels must be in range, or ignored."""
    rows = max(1, CHUNK // dy.shape[1])
    share = inverse(total_weight(labels, weights, ignored))
    parallel_for(_rows, chunks_of(labels.size, rows), (labels, weights, ignored, share, dy, rows))
