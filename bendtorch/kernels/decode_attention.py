"""Attention of one query, the newest, over all keys that there are: what decoding a token needs.

Each head reads its keys and its values once: 8·hd bytes and 4·hd FLOPs for each of n keys. Scores are sums in vector
lanes; the weighted values are summed over runs of keys, and the runs' sums then, as the layer's products do.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.attention_grid import first_column, key_head
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.panels import add_into
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.products import inner_product
from bendtorch.kernels.rows import row_max
from bendtorch.kernels.sums import row_sum
from bendtorch.kernels.vecmath import exp, fma

ZERO: Final = np.float32(0)
SPAN: Final = 64  # keys whose values are summed in a row


@helper
def _exponentials(x: Flat, top: np.float32, scale: np.float32) -> None:
    for j in range(x.size):
        x[j] = exp((x[j] - top) * scale)


@kernel
def exponential_row(x: Flat, scale: np.float32) -> float:
    """x = exp(scale · (x - its largest)); gives the sum. Zeros and 1 where nothing is seen, or only -inf."""
    if x.size == 0:
        return 1.0
    top = row_max(x)
    if top == -np.inf:
        x[:] = ZERO
        return 1.0
    _exponentials(x, top, scale)
    return row_sum(x)


@helper
def _scores(q: Flat, keys: Matrix, column: int, scores: Flat) -> None:
    for j in range(scores.size):
        scores[j] = inner_product(keys[j, column : column + q.size], q)


@helper
def _add_weighted(weight: np.float32, x: Flat, out: Flat) -> None:
    for i in range(x.size):
        out[i] = fma(weight, x[i], out[i])


@helper
def _weigh(weights: Flat, values: Matrix, column: int, run: Flat, out: Flat) -> None:
    """out = Σ weights·values; `run` is room for the sum of a run of keys."""
    out[:] = ZERO
    for low in range(0, weights.size, SPAN):
        run[:] = ZERO
        for j in range(low, min(weights.size, low + SPAN)):
            _add_weighted(weights[j], values[j, column : column + run.size], run)
        add_into(run, out)


@helper
def _divide(x: Flat, total: float) -> None:
    inverse = 1.0 / total
    for i in range(x.size):
        x[i] = np.float32(np.float64(x[i]) * inverse)


@kernel
def _head(
    head: int, q: Flat, keys: Matrix, values: Matrix, n: int, g: int, scale: np.float32, room: Matrix, out: Flat
) -> None:
    hd = q.size // (room.shape[0])
    low, column = first_column(head, hd), first_column(key_head(head, g), hd)
    own = room[head]
    run, scores = own[:hd], own[hd : hd + n]
    _scores(q[low : low + hd], keys, column, scores)
    total = exponential_row(scores, scale)
    _weigh(scores, values, column, run, out[low : low + hd])
    _divide(out[low : low + hd], total)


@kernel
def attend_newest(
    q: Flat, keys: Matrix, values: Matrix, n: int, g: int, scale: np.float32, room: Matrix, out: Flat
) -> None:
    """Every head's output for one query over the first n keys; g query heads read a key head.

    `room` has a row for each query head, of hd + n numbers at least.
    """
    parallel_for(_head, room.shape[0], (q, keys, values, n, g, scale, room, out))
