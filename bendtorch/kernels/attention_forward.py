"""Attention's forward pass: y = softmax(scale · q·kᵀ over the keys that a query sees) · v, for every head.

A piece of work is a block of queries of one head: its scores against all keys it sees (a product with the transposed
keys), the exponentials row by row, a product with the values. Nothing of it is kept: the backward pass computes the
same exponentials again, bit for bit. 4·hd FLOPs, and 24 for the exponential and the sum, for each query and key that
meet.

Traffic: q, k, v read and y written, 4 bytes a number; every block of queries reads the keys and values of its head
again, from a cache as long as they fit there, and its tile of scores never leaves the second-level cache where 4 bytes
a key and query of the block fit in it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix, Totals
from bendtorch.kernels.attention_grid import (
    BLOCK,
    Heads,
    Place,
    Sizes,
    forward_items,
    item_place,
    key_item,
    key_place,
    padded,
    place_of,
    run_bounds,
    run_count,
    sizes_of,
)
from bendtorch.kernels.attention_tiles import (
    key_panel,
    query_panel,
    score_tile,
    seen_by,
    turned_panel,
    weigh_seen,
)
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.panels import Panel, floats, is_finite, panel, part, row_of, transpose
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.rows import row_max
from bendtorch.kernels.sums import row_sum
from bendtorch.kernels.vecmath import exp

ZERO: Final = np.float32(0)
LOWEST: Final = np.float32(-np.inf)
SHORT: Final = 48  # rows of no more numbers have their exponentials taken together


class Inputs(NamedTuple):
    """What attention reads. Of the keys of a sequence, those from its length on are seen by nobody."""

    q: Matrix
    k: Matrix
    v: Matrix
    lengths: Labels


class Forward(NamedTuple):
    """The task's arrays. `turned`: transposed keys. For each run a tile, and room for a key head's finite values."""

    q: Panel
    k: Panel
    v: Panel
    y: Panel
    turned: Panel
    tiles: Panel
    space: Panel


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
def _arguments(x: Flat, seen: int, top: np.float32, scale: np.float32) -> None:
    for j in range(x.size):
        x[j] = (x[j] - top) * scale if j < seen else LOWEST


@helper
def _exponentials_in_place(x: Flat) -> None:
    """Without computing what is zero: results below the normal range are slow."""
    for j in range(x.size):
        nothing = x[j] == LOWEST
        e = exp(ZERO if nothing else x[j])
        x[j] = ZERO if nothing else e


@kernel
def exponential_tile(place: Place, tile: Panel, totals: Totals, heads: Heads, scale: np.float32) -> None:
    """`exponential_row` of each of a tile's rows, and zeros where a query does not see a key.

    Loops over short rows would spend their time in their ends; so a tile of these is one array, but for what needs a
    row by itself. The bits are the same.
    """
    m, width = place.high - place.low, tile.stride
    if width > SHORT:
        for i in range(m):
            scores, seen = row_of(tile, i, place.n), seen_by(place, i, heads)
            totals[i] = exponential_row(scores[:seen], scale)
            scores[seen:] = ZERO
        return
    for i in range(m):
        seen = seen_by(place, i, heads)
        top = row_max(row_of(tile, i, seen))
        _arguments(row_of(tile, i, width), 0 if top == LOWEST else seen, top, scale)
    _exponentials_in_place(floats(tile.address, m * width))
    for i in range(m):
        total = row_sum(row_of(tile, i, seen_by(place, i, heads)))
        totals[i] = 1.0 if total == 0.0 else total


@helper
def _divide(x: Flat, total: float) -> None:
    inverse = 1.0 / total
    for j in range(x.size):
        x[j] = np.float32(np.float64(x[j]) * inverse)


@kernel
def _prepare(item: int, task: Forward, sound: Labels, heads: Heads) -> None:
    """Transpose a key head's keys, and see whether its values are finite."""
    sequence, reads = key_place(item, heads)
    keys, turned = key_panel(task.k, sequence, reads, heads), turned_panel(task.turned, sequence, reads, heads)
    transpose(keys, heads.keys, heads.hd, turned)
    sound[item] = 1 if is_finite(key_panel(task.v, sequence, reads, heads), heads.keys, heads.hd) else 0


@kernel
def _weights(place: Place, task: Forward, tile: Panel, totals: Totals, heads: Heads, scale: np.float32) -> None:
    """The exponentials of a tile's scores, zeros where a query does not see a key, and their totals."""
    m, n = place.high - place.low, place.n
    turned = turned_panel(task.turned, place.sequence, place.reads, heads)
    score_tile(query_panel(task.q, place, heads), m, heads.hd, turned, n, tile)
    exponential_tile(place, tile, totals, heads, scale)


@kernel
def _run(
    run: int, runs: int, items: int, task: Forward, lengths: Labels, sound: Labels, heads: Heads, scale: np.float32
) -> None:
    """Some blocks of queries, one after another in one working space."""
    low, high = run_bounds(run, runs, items)
    tile, space = part(task.tiles, run * BLOCK, 0), part(task.space, run * heads.keys, 0)
    totals = np.empty(BLOCK, np.float64)
    for item in range(low, high):
        sequence, head, block = item_place(item, heads)
        place = place_of(sequence, head, block, lengths[sequence], heads)
        _weights(place, task, tile, totals, heads, scale)
        values, y = key_panel(task.v, sequence, place.reads, heads), query_panel(task.y, place, heads)
        is_sound = sound[key_item(sequence, place.reads, heads)] == 1
        weigh_seen(tile, place, heads, values, is_sound, space, y)
        for i in range(place.high - place.low):
            _divide(row_of(y, i, heads.hd), totals[i])


@kernel
def _forward(
    q: Matrix,
    k: Matrix,
    v: Matrix,
    lengths: Labels,
    y: Matrix,
    turned: Matrix,
    tiles: Matrix,
    space: Matrix,
    sizes: Sizes,
    runs: int,
    items: int,
    scale: np.float32,
) -> None:
    heads, sound = Heads(*sizes), np.empty(lengths.size * sizes[2], np.int64)
    task = Forward(panel(q), panel(k), panel(v), panel(y), panel(turned), panel(tiles), panel(space))
    parallel_for(_prepare, sound.size, (task, sound, heads))
    parallel_for(_run, runs, (runs, items, task, lengths, sound, heads, scale))


def attention_forward(inputs: Inputs, heads: Heads, scale: float) -> Matrix:
    """Every head's output. A query that sees no key, or only scores of -inf, has zeros."""
    rows, columns = inputs.q.shape
    sequences, width = inputs.lengths.size, padded(heads.keys)
    items = forward_items(sequences, heads)
    runs = run_count(items)
    y = empty_mat(rows, columns)
    turned, tiles = empty_mat(sequences * heads.kv * heads.hd, width), empty_mat(runs * BLOCK, width)
    space = empty_mat(runs * heads.keys, heads.hd)
    _forward(*inputs, y, turned, tiles, space, sizes_of(heads), runs, items, np.float32(scale))
    return y
