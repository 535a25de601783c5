"""Attention's backward pass, from the inputs and the gradient of the output.

With P the probabilities of a head (computed again, tile by tile, with the forward pass's bits) and dP = dy·vᵀ:

    dv += Pᵀ·dy     dS = scale · P · (dP - the row's mean of dP)     dq = dS·k     dk += dSᵀ·q

The mean Σ P·dP is taken of the very numbers P and dP (not as y·dy, which is equal but rounded otherwise), and twice: a
second time of what is left after the first was subtracted. Where one key has nearly all the weight, or all dP are
nearly equal, dP minus the mean cancels, and an error that is common to a row does not average out in dq.

A piece of work is a key head of one sequence: its g query heads and their blocks come one after another, so the sums in
dk and dv have one order. 10·hd FLOPs, and 33 for the exponential and the gradient of the softmax, for each query and
key that meet.

Traffic: q, k, v and dy read, dq, dk and dv written, 4 bytes a number. Keys, values, dk and dv of the head are read
again for every block of queries, and both tiles several times, from the caches where they fit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Labels, Matrix
from bendtorch.kernels.attention_columns import gradient_columns
from bendtorch.kernels.attention_forward import Inputs
from bendtorch.kernels.attention_grid import (
    LINE,
    Heads,
    Place,
    Sizes,
    backward_items,
    block_count,
    key_place,
    place_of,
    queries_of,
    query_head,
    run_bounds,
    run_count,
    sizes_of,
)
from bendtorch.kernels.attention_rooms import BackwardRoom, backward_room, line_at
from bendtorch.kernels.attention_tiles import key_panel, query_panel, score_tile, spread_seen, weigh_seen
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.lanes import LANES
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.panels import Panel, clear, finite_part, panel, part
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.strips import turn

ZERO: Final = np.float32(0)


class Gradients(NamedTuple):
    """The gradients of the inputs."""

    dq: Matrix
    dk: Matrix
    dv: Matrix


class Backward(NamedTuple):
    """The arrays of the task."""

    q: Panel
    k: Panel
    v: Panel
    dy: Panel
    dq: Panel
    dk: Panel
    dv: Panel


class KeyHead(NamedTuple):
    """A key head of a sequence: keys and values that have all their numbers, finite keys, and where dk and dv go."""

    k: Panel
    v: Panel
    finite: Panel
    is_sound: bool
    dk: Panel
    dv: Panel


@kernel
def _tiles(place: Place, task: Backward, own: BackwardRoom, of: KeyHead, heads: Heads, scale: np.float32) -> None:
    """P and dS of a block of queries; zeros where a query does not see a key."""
    m = queries_of(place)
    turn(query_panel(task.q, place, heads), m, heads.hd, own.queries)
    turn(query_panel(task.dy, place, heads), m, heads.hd, own.slopes)
    score_tile(of.k, own.queries, place, heads, own.p)
    score_tile(of.v, own.slopes, place, heads, own.ds)
    for column in range(0, m, LANES):
        gradient_columns(own.p, own.ds, place, column, heads, scale)


@kernel
def _block(
    place: Place, task: Backward, own: BackwardRoom, of: KeyHead, add: int, heads: Heads, scale: np.float32
) -> None:
    """A block of queries of one head: its own dq, and its part of dk and dv."""
    m, q, dy = queries_of(place), query_panel(task.q, place, heads), query_panel(task.dy, place, heads)
    _tiles(place, task, own, of, heads, scale)
    sound_dy = finite_part(dy, m, heads.hd, own.dy)
    spread_seen(own.p, place, heads, own.dy, dy, sound_dy, of.dv, add)
    sound_q = finite_part(q, m, heads.hd, own.q)
    spread_seen(own.ds, place, heads, own.q, q, sound_q, of.dk, add)
    weigh_seen(own.ds, place, heads, of.finite, of.k, of.is_sound, query_panel(task.dq, place, heads))


@helper
def _key_head_of(item: int, task: Backward, own: BackwardRoom, heads: Heads) -> KeyHead:
    """A key head, copied where it is finite: rows that lie close together are read faster."""
    sequence, reads = key_place(item, heads)
    k, v = key_panel(task.k, sequence, reads, heads), key_panel(task.v, sequence, reads, heads)
    dk, dv = key_panel(task.dk, sequence, reads, heads), key_panel(task.dv, sequence, reads, heads)
    is_sound = finite_part(k, heads.keys, heads.hd, own.k)
    values = own.v if finite_part(v, heads.keys, heads.hd, own.v) else v
    return KeyHead(own.k if is_sound else k, values, own.k, is_sound, dk, dv)


@kernel
def _key_head(item: int, task: Backward, own: BackwardRoom, lengths: Labels, heads: Heads, scale: np.float32) -> None:
    """A key head with the queries that read it: block by block, the last first, which sees all keys that are seen."""
    sequence, reads = key_place(item, heads)
    of, add, blocks = _key_head_of(item, task, own, heads), 0, block_count(heads.queries)
    for member in range(heads.g):
        head = query_head(reads, member, heads.g)
        for block in range(blocks - 1, -1, -1):
            _block(place_of(sequence, head, block, lengths[sequence], heads), task, own, of, add, heads, scale)
            add = 1
    seen = place_of(sequence, 0, blocks - 1, lengths[sequence], heads).n if blocks > 0 else 0
    clear(part(of.dk, seen, 0), heads.keys - seen, heads.hd)
    clear(part(of.dv, seen, 0), heads.keys - seen, heads.hd)


@kernel
def _run(run: int, runs: int, items: int, task: Backward, lengths: Labels, heads: Heads, scale: np.float32) -> None:
    """Some key heads, one after another in one working space."""
    low, high = run_bounds(run, runs, items)
    space = np.empty(backward_room(0, heads).end // 4 + LINE, np.float32)
    own = backward_room(line_at(space.ctypes.data), heads)
    for item in range(low, high):
        _key_head(item, task, own, lengths, heads, scale)
    space[0] = ZERO  # an array lives until its last use; its address is none


@kernel
def _backward(
    q: Matrix,
    k: Matrix,
    v: Matrix,
    lengths: Labels,
    dy: Matrix,
    dq: Matrix,
    dk: Matrix,
    dv: Matrix,
    sizes: Sizes,
    runs: int,
    items: int,
    scale: np.float32,
) -> None:
    inputs, gradients = (panel(q), panel(k), panel(v)), (panel(dy), panel(dq), panel(dk), panel(dv))
    task, heads = Backward(*inputs, *gradients), Heads(*sizes)
    parallel_for(_run, runs, (runs, items, task, lengths, heads, scale))


def attention_backward(inputs: Inputs, dy: Matrix, heads: Heads, scale: float) -> Gradients:
    """The gradients of q, k and v."""
    (rows, columns), (key_rows, width) = inputs.q.shape, inputs.k.shape
    gradients = Gradients(empty_mat(rows, columns), empty_mat(key_rows, width), empty_mat(key_rows, width))
    items = backward_items(inputs.lengths.size, heads)
    _backward(*inputs, dy, *gradients, sizes_of(heads), run_count(items), items, np.float32(scale))
    return gradients
