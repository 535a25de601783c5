"""Cross-entropy's kernels: the loss and the gradient of a row, which is read once and written once.

For a row x with label t: p = softmax(x), the loss is -log p_t, the gradient (p - [j = t]) · share, where share is the
row's part of the mean. The row is taken in blocks that stay in the first cache: each is read, its largest number found,
and exp(x - top) written, where top is the largest number so far. What was written below an earlier top is corrected by
the second pass, which scales it anyway. 8 bytes a number, 24 FLOPs. While the exponentials of a block of a long row are
taken, the next one is brought near, and its place in the gradient: computing and memory take as long as each other, so
one must not wait for the other.

With smoothing, the label counts a = (1 - smoothing)·w_t and every class b_j = smoothing·w_j / c: the loss is
-a·log p_t - Σ b_j·log p_j, the gradient ((a + Σ b)·p - a·[j = t] - b) · share. What every class adds is left to a pass
of its own over the rows of a chunk, so that it costs nothing without smoothing.

A row that is all -inf has loss +inf and gradient zero.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.copying import copy
from bendtorch.kernels.labels import inverse, total_weight
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import (
    BLOCK,
    LONG,
    exponentials,
    exponentials_ahead,
    log_total,
    row_max,
    rows_of_chunk,
    scale,
    sum_block,
)
from bendtorch.kernels.vecmath import fma

ZERO: Final = np.float32(0)
ROW: Final = 64  # a row costs as much as so many numbers more


class Mean(NamedTuple):
    """How rows and classes are weighed."""

    weights: Flat  # of the classes
    ignored: int  # the label of rows that do not count
    smoothing: float
    spread: float  # the mean of the weights
    share: float  # 1 / (the sum of the rows' weights)


class Sum(NamedTuple):
    """The sum of exp(x - top) over a row, where top is the largest x: how many are 1, and the sum of the others."""

    top: float
    ones: int
    rest: float


class Found(NamedTuple):
    """Of every row: its loss, the largest x, and the logarithm of the sum."""

    losses: Totals
    tops: Totals
    logs: Totals


@helper
def _block(k: int, size: int) -> tuple[int, int]:
    """Where block k begins and ends."""
    return chunk_bounds(k, BLOCK, size)


@kernel
def _exponentials(x: Flat, e: Flat, tops: Totals, apart: Flat) -> Sum:
    """e = exp(x - tops[k]) for every block k, where tops[k] is the largest x up to its end.

    Where e takes the place of x, `apart` has room for a block: a loop over one memory by two names is not vectorised.
    """
    top, ones, rest = -np.inf, 0, 0.0
    for k in range(chunks_of(x.size, BLOCK)):
        low, high = _block(k, x.size)
        largest = np.float64(row_max(x[low:high]))
        if largest > top:
            if top > -np.inf:
                ones, rest = 0, (ones + rest) * float(np.exp(top - largest))
            top = largest
        tops[k] = top
        shift = np.float32(top) if top > -np.inf else ZERO  # so that -inf gives 0, and NaN gives NaN
        block = x[low:high]
        if apart.size > 0:
            block = apart[: high - low]
            copy(x[low:high], block)
        if x.size >= LONG:
            exponentials_ahead(block, shift, e[low:high], x.ctypes.data + 4 * low, e.ctypes.data + 4 * low)
        else:
            exponentials(block, shift, e[low:high])
        more_ones, more = sum_block(e[low:high])
        ones += more_ones
        rest += more
    return Sum(top, ones, rest)


@helper
def _log(found: Sum) -> float:
    """The logarithm of the sum; +inf for a row that is all -inf."""
    return log_total(found.ones, found.rest) if found.ones + found.rest != 0.0 else np.inf


@helper
def _loss(own: np.float32, weight: np.float32, top: float, log: float) -> float:
    """The weighed -log p_label of a row, from its label's number and weight."""
    return np.float64(weight) * (log - (np.float64(own) - top if log != np.inf else 0.0))


@helper
def _correction(top: float, found: Sum) -> float:
    """What exponentials below `top` are multiplied with, so that they are below the largest number."""
    return 1.0 if top == found.top else float(np.exp(top - found.top))


@helper
def _gradient(label: int, mean: Mean, found: Sum, tops: Totals, e: Flat) -> None:
    """Turn the exponentials e into the gradient, but for what smoothing takes from every class."""
    own = (1.0 - mean.smoothing) * np.float64(mean.weights[label])
    every = (own + mean.smoothing * mean.spread) / (found.ones + found.rest)
    hit = np.float64(e[label]) * _correction(tops[label // BLOCK], found) * every - own
    for k in range(chunks_of(e.size, BLOCK)):
        low, high = _block(k, e.size)
        scale(e[low:high], np.float32(_correction(tops[k], found) * every * mean.share))
    e[label] = np.float32(hit * mean.share)


@reduction
def _weighed_block(x: Flat, top: np.float32, weights: Flat) -> np.float32:
    total = ZERO
    for j in range(x.size):
        total += weights[j] * (x[j] - top)
    return total


@kernel
def _smooth_loss(x: Flat, mean: Mean, top: float, log: float, loss: float) -> float:
    """The loss with every class's part."""
    total = 0.0
    for k in range(chunks_of(x.size, BLOCK)):
        low, high = _block(k, x.size)
        total += np.float64(_weighed_block(x[low:high], np.float32(top), mean.weights[low:high]))
    return (1.0 - mean.smoothing) * loss + mean.smoothing * (mean.spread * log - total / x.size)


@helper
def _subtract(weights: Flat, each: np.float32, e: Flat) -> None:
    for j in range(e.size):
        e[j] = fma(-weights[j], each, e[j])


@kernel
def _smooth(low: int, high: int, y: Matrix, labels: Labels, mean: Mean, found: Found, dy: Matrix) -> None:
    """Give every class its part of the losses of some rows, and of their gradients where those are wanted."""
    each = np.float32(mean.smoothing / y.shape[1] * mean.share)
    for r in range(low, high):
        if labels[r] != mean.ignored and found.logs[r] != np.inf:
            found.losses[r] = _smooth_loss(y[r], mean, found.tops[r], found.logs[r], found.losses[r])
            if dy.size > 0:
                _subtract(mean.weights, each, dy[r])


@kernel
def _rows(chunk: int, y: Matrix, labels: Labels, mean: Mean, found: Found, dy: Matrix, rows: int) -> None:
    tops = np.empty(chunks_of(y.shape[1], BLOCK), np.float64)
    scratch = np.empty(y.shape[1] if dy.size == 0 else 0, np.float32)
    room = BLOCK if dy.ctypes.data == y.ctypes.data else 0
    apart = np.empty(room, np.float32)
    low, high = chunk_bounds(chunk, rows, labels.size)
    for r in range(low, high):
        e = dy[r] if dy.size > 0 else scratch
        if labels[r] == mean.ignored:
            e[:] = ZERO
            found.losses[r] = 0.0
        else:
            own, weight = np.float32(y[r, labels[r]]), np.float32(mean.weights[labels[r]])
            total = _exponentials(y[r], e, tops, apart)
            log = _log(total)
            found.tops[r], found.logs[r] = total.top, log
            found.losses[r] = _loss(own, weight, total.top, log)
            if dy.size > 0 and log != np.inf:
                _gradient(labels[r], mean, total, tops, e)
    if mean.smoothing != 0.0:
        _smooth(low, high, y, labels, mean, found, dy)


@kernel
def cross_entropy(
    y: Matrix, labels: Labels, weights: Flat, ignored: int, smoothing: float, spread: float, dy: Matrix
) -> float:
    """The weighted mean loss; the gradient of the logits into dy, where dy has rows: it may have none.

    dy may be y itself, which is lost then, where there is no smoothing: that reads the logits again.
    Labels must be in range, or ignored. `spread` is the mean of the weights.
    """
    n, c = y.shape
    rows = rows_of_chunk(c + ROW)
    mean = Mean(weights, ignored, smoothing, spread, inverse(total_weight(labels, weights, ignored)))
    found = Found(np.empty(n, np.float64), np.empty(n, np.float64), np.empty(n, np.float64))
    parallel_for(_rows, chunks_of(n, rows), (y, labels, mean, found, dy, rows))
    total = 0.0
    for r in range(n):
        total += found.losses[r]
    return total * mean.share
