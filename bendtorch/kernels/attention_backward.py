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

from bendtorch.kernels.arrays import Flat, Labels, Matrix
from bendtorch.kernels.attention_forward import Inputs, exponential_row
from bendtorch.kernels.attention_grid import (
    BLOCK,
    Heads,
    Place,
    Sizes,
    backward_items,
    block_count,
    key_place,
    padded,
    place_of,
    query_head,
    run_bounds,
    run_count,
    sizes_of,
)
from bendtorch.kernels.attention_tiles import (
    add_to_seen,
    key_panel,
    query_panel,
    score_tile,
    seen_by,
    weigh_seen,
)
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.panels import Panel, clear, is_finite, panel, part, row_of, transpose
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.products import inner_product
from bendtorch.kernels.rows import scale as scale_row

SUM: Final = 1024  # products summed in float32
ZERO: Final = np.float32(0)


class Gradients(NamedTuple):
    """The gradients of the inputs."""

    dq: Matrix
    dk: Matrix
    dv: Matrix


class Backward(NamedTuple):
    """The arrays of the task; then for each run transposed keys and values, two tiles, and room for finite parts."""

    q: Panel
    k: Panel
    v: Panel
    dy: Panel
    dq: Panel
    dk: Panel
    dv: Panel
    keys: Panel
    values: Panel
    weights: Panel
    slopes: Panel
    space: Panel


class KeyHead(NamedTuple):
    """A key head of a sequence: its panels, transposed ones, and the run's tiles and room."""

    k: Panel
    dk: Panel
    dv: Panel
    keys: Panel
    values: Panel
    weights: Panel
    slopes: Panel
    space: Panel
    is_sound: bool


@helper
def _dot(a: Flat, b: Flat) -> np.float32:
    total = 0.0
    for low in range(0, a.size, SUM):
        total += np.float64(inner_product(a[low : low + SUM], b[low : low + SUM]))
    return np.float32(total)


@helper
def _subtract(d: Flat, mean: np.float32) -> None:
    for j in range(d.size):
        d[j] -= mean


@helper
def _score_gradients(p: Flat, mean: np.float32, scale: np.float32, d: Flat) -> None:
    for j in range(p.size):
        d[j] = p[j] * (d[j] - mean) * scale


@kernel
def gradient_row(p: Flat, d: Flat, scale: np.float32) -> None:
    """p: from scores to probabilities; d: from the gradients of the probabilities to those of the products q·k."""
    scale_row(p, np.float32(1.0 / exponential_row(p, scale)))
    _subtract(d, _dot(p, d))
    _score_gradients(p, _dot(p, d), scale, d)


@kernel
def _fill(place: Place, task: Backward, own: KeyHead, heads: Heads, scale: np.float32) -> None:
    """Both tiles of a block of queries; zeros where a query does not see a key."""
    m, n = place.high - place.low, place.n
    score_tile(query_panel(task.q, place, heads), m, heads.hd, own.keys, n, own.weights)
    score_tile(query_panel(task.dy, place, heads), m, heads.hd, own.values, n, own.slopes)
    for i in range(m):
        p, d, seen = row_of(own.weights, i, n), row_of(own.slopes, i, n), seen_by(place, i, heads)
        gradient_row(p[:seen], d[:seen], scale)
        p[seen:] = ZERO
        d[seen:] = ZERO


@kernel
def _block(place: Place, task: Backward, own: KeyHead, heads: Heads, scale: np.float32) -> None:
    """A block of queries of one head: its own dq, and its part of dk and dv."""
    _fill(place, task, own, heads, scale)
    add_to_seen(own.weights, place, heads, query_panel(task.dy, place, heads), own.space, own.dv)
    add_to_seen(own.slopes, place, heads, query_panel(task.q, place, heads), own.space, own.dk)
    weigh_seen(own.slopes, place, heads, own.k, own.is_sound, own.space, query_panel(task.dq, place, heads))


@helper
def _key_head(sequence: int, reads: int, run: int, task: Backward, heads: Heads) -> KeyHead:
    """The places of a key head of a sequence."""
    k = key_panel(task.k, sequence, reads, heads)
    return KeyHead(
        k,
        key_panel(task.dk, sequence, reads, heads),
        key_panel(task.dv, sequence, reads, heads),
        part(task.keys, run * heads.hd, 0),
        part(task.values, run * heads.hd, 0),
        part(task.weights, run * BLOCK, 0),
        part(task.slopes, run * BLOCK, 0),
        part(task.space, run * max(heads.keys, BLOCK), 0),
        is_finite(k, heads.keys, heads.hd),
    )


@kernel
def _run(run: int, runs: int, items: int, task: Backward, lengths: Labels, heads: Heads, scale: np.float32) -> None:
    """Some key heads with the queries that read them, one after another in one working space."""
    low, high = run_bounds(run, runs, items)
    for item in range(low, high):
        sequence, reads = key_place(item, heads)
        own = _key_head(sequence, reads, run, task, heads)
        transpose(own.k, heads.keys, heads.hd, own.keys)
        transpose(key_panel(task.v, sequence, reads, heads), heads.keys, heads.hd, own.values)
        clear(own.dk, heads.keys, heads.hd)
        clear(own.dv, heads.keys, heads.hd)
        for member in range(heads.g):
            for block in range(block_count(heads.queries)):
                head = query_head(reads, member, heads.g)
                _block(place_of(sequence, head, block, lengths[sequence], heads), task, own, heads, scale)


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
    keys: Matrix,
    values: Matrix,
    weights: Matrix,
    slopes: Matrix,
    space: Matrix,
    sizes: Sizes,
    runs: int,
    items: int,
    scale: np.float32,
) -> None:
    inputs, gradients = (panel(q), panel(k), panel(v)), (panel(dy), panel(dq), panel(dk), panel(dv))
    room = (panel(keys), panel(values), panel(weights), panel(slopes), panel(space))
    task, heads = Backward(*inputs, *gradients, *room), Heads(*sizes)
    parallel_for(_run, runs, (runs, items, task, lengths, heads, scale))


def attention_backward(inputs: Inputs, dy: Matrix, heads: Heads, scale: float) -> Gradients:
    """The gradients of q, k and v."""
    (rows, columns), (key_rows, width) = inputs.q.shape, inputs.k.shape
    gradients = Gradients(empty_mat(rows, columns), empty_mat(key_rows, width), empty_mat(key_rows, width))
    items, stride = backward_items(inputs.lengths.size, heads), padded(heads.keys)
    runs = run_count(items)
    longest = max(heads.keys, BLOCK)
    keys, values = empty_mat(runs * heads.hd, stride), empty_mat(runs * heads.hd, stride)
    weights, slopes = empty_mat(runs * BLOCK, stride), empty_mat(runs * BLOCK, stride)
    room = (keys, values, weights, slopes, empty_mat(runs * longest, heads.hd))
    _backward(*inputs, dy, *gradients, *room, sizes_of(heads), runs, items, np.float32(scale))
    return gradients
