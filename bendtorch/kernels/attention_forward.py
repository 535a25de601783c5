"""Attention's forward pass: y = softmax(scale · q·kᵀ over the keys that a query sees) · v, for every head.

A piece of work is a block of queries of one head: its scores against all keys it sees (a product of keys and transposed
queries), the exponentials column by column, a product with the values. Nothing of it is kept: the backward pass
computes the same exponentials again, bit for bit. 4·hd FLOPs, and 24 for the exponential and the sum, for each query
and key that meet.

Traffic: q, k, v read and y written, 4 bytes a number; every block of queries reads the keys and values of its head
again, from a cache as long as they fit there, and its tile of scores never leaves the second-level cache where 4 bytes
a key and query of the block fit in it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix
from bendtorch.kernels.attention_columns import exponential_columns
from bendtorch.kernels.attention_grid import (
    BLOCK,
    LINE,
    Heads,
    Place,
    Sizes,
    forward_items,
    item_place,
    key_item,
    key_place,
    place_of,
    queries_of,
    run_bounds,
    run_count,
    sizes_of,
)
from bendtorch.kernels.attention_rooms import (
    QueryRoom,
    key_room,
    key_room_size,
    line_at,
    query_room,
    room_at,
)
from bendtorch.kernels.attention_tiles import key_panel, query_panel, score_tile, weigh_seen
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.lanes import LANES, put_lanes
from bendtorch.kernels.memory import empty_array, empty_mat
from bendtorch.kernels.panels import Panel, finite_part, panel, row_of
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.strips import turn
from bendtorch.kernels.vecmath import fma

ONE: Final = np.float32(1)
BELOW: Final = 1 - 2.0**-23  # times it, a number rounds to one that is smaller than it was


class Inputs(NamedTuple):
    """What attention reads. Of the keys of a sequence, those from its length on are seen by nobody."""

    q: Matrix
    k: Matrix
    v: Matrix
    lengths: Labels


class Forward(NamedTuple):
    """The task's arrays; where the rooms of key heads begin, and how many bytes each has."""

    q: Panel
    k: Panel
    v: Panel
    y: Panel
    rooms: int
    room_size: int


@helper
def _divide(x: Flat, total: np.float32) -> None:
    """Rounded once: the inverse is the sum of two numbers, both above 0, so that infinity stays what it is."""
    inverse = 1.0 / np.float64(total)
    factor = np.float32(inverse * BELOW)
    rest = np.float32(inverse - np.float64(factor))
    for j in range(x.size):
        x[j] = fma(x[j], factor, x[j] * rest)


@kernel
def _prepare(item: int, task: Forward, sound: Labels, heads: Heads) -> None:
    """Take a key head's finite keys and values, and see whether there are others."""
    sequence, reads = key_place(item, heads)
    room = key_room(room_at(item, task.room_size, task.rooms), heads)
    keys_sound = finite_part(key_panel(task.k, sequence, reads, heads), heads.keys, heads.hd, room.keys)
    values_sound = finite_part(key_panel(task.v, sequence, reads, heads), heads.keys, heads.hd, room.values)
    sound[item] = (1 if keys_sound else 0) + (2 if values_sound else 0)


@kernel
def _block(
    place: Place, task: Forward, sound: int, own: QueryRoom, totals: Flat, heads: Heads, scale: np.float32
) -> None:
    """The outputs of a block of queries."""
    m, y = queries_of(place), query_panel(task.y, place, heads)
    item = key_item(place.sequence, place.reads, heads)
    room = key_room(room_at(item, task.room_size, task.rooms), heads)
    keys = room.keys if sound % 2 == 1 else key_panel(task.k, place.sequence, place.reads, heads)
    turn(query_panel(task.q, place, heads), m, heads.hd, own.queries)
    score_tile(keys, own.queries, place, heads, own.tile)
    for column in range(0, m, LANES):
        total = exponential_columns(own.tile, place, column, heads, scale)
        put_lanes(total, totals.ctypes.data + 4 * column)
    values = key_panel(task.v, place.sequence, place.reads, heads)
    weigh_seen(own.tile, place, heads, room.values, values, sound >= 2, y)
    for i in range(m):
        _divide(row_of(y, i, heads.hd), totals[i])


@kernel
def _run(
    run: int, runs: int, items: int, task: Forward, lengths: Labels, sound: Labels, heads: Heads, scale: np.float32
) -> None:
    """Some blocks of queries, one after another in one working space."""
    low, high = run_bounds(run, runs, items)
    space = np.empty(query_room(0, heads).end // 4 + LINE, np.float32)
    room = query_room(line_at(space.ctypes.data), heads)
    totals = np.empty(BLOCK + LANES, np.float32)
    for item in range(low, high):
        sequence, head, block = item_place(item, heads)
        place = place_of(sequence, head, block, lengths[sequence], heads)
        _block(place, task, sound[key_item(sequence, place.reads, heads)], room, totals, heads, scale)
    space[0] = ONE  # an array lives until its last use; its address is none


@kernel
def _forward(
    q: Matrix,
    k: Matrix,
    v: Matrix,
    lengths: Labels,
    y: Matrix,
    space: Flat,
    sizes: Sizes,
    room_size: int,
    runs: int,
    items: int,
    scale: np.float32,
) -> None:
    heads, sound = Heads(*sizes), np.empty(lengths.size * sizes[2], np.int64)
    task = Forward(panel(q), panel(k), panel(v), panel(y), line_at(space.ctypes.data), room_size)
    parallel_for(_prepare, sound.size, (task, sound, heads))
    parallel_for(_run, runs, (runs, items, task, lengths, sound, heads, scale))


def attention_forward(inputs: Inputs, heads: Heads, scale: float) -> Matrix:
    """Every head's output. A query that sees no key, or only scores of -inf, has zeros."""
    (rows, columns), sequences = inputs.q.shape, inputs.lengths.size
    items, room_size = forward_items(sequences, heads), key_room_size(heads)
    y = empty_mat(rows, columns)
    space = empty_array((sequences * heads.kv * room_size // 4 + LINE,))
    _forward(*inputs, y, space, sizes_of(heads), room_size, run_count(items), items, np.float32(scale))
    return y
