"""One token through a Llama, with the keys and values of those before it at hand.

Every product is a matrix with one vector, so the time is that of reading the weights: 2 FLOPs for each. All of it is
one kernel, so that Python is left once a token; each product is cut by its sizes alone, into chunks of whole rows, and
a row is one sum in vector lanes: the bits do not depend on the threads. Nothing is allocated.

The weights are one run of cells, in the order in which the model's parameters are dumped (`Layout` says where). In that
order the rows of q, k and v stand below one another, and those of the gate and what it lets through: so each is one
product.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.activation import silu
from bendtorch.kernels.arrays import Flat, Labels, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy
from bendtorch.kernels.decode_attention import attend_newest
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.prefetch import reading_on
from bendtorch.kernels.rms_norm import rms_norm_forward
from bendtorch.kernels.rope import rotate
from bendtorch.kernels.widen import Stored, wide_product, wide_rows

CHUNK: Final = 1 << 14  # multiplications a chunk: about two microseconds


class Layout(NamedTuple):
    """Where the weights begin: the table, the blocks (each of `block` cells), the output; then inside of a block.

    The norms' gains are read from another array, which may be the same: those of block i at `gain + i·gains` and
    `other_gain + i·gains`, the last one at `last_gain`.
    """

    table: int
    blocks: int
    block: int
    output: int
    qkv: int
    o: int
    gated: int
    down: int
    gain: int
    other_gain: int
    gains: int
    last_gain: int


class Room(NamedTuple):
    """Working space: the token's row, as it is and normalised, and what the products give, each one row.

    `heads` has a row for each query head, with room for a head's numbers and a score for every position.
    """

    x: Matrix
    h: Matrix
    root: Matrix
    qkv: Flat
    turned: Matrix
    attended: Flat
    gate: Flat
    up: Flat
    inner: Flat
    heads: Matrix
    logits: Flat


class Cache(NamedTuple):
    """The rotated keys and the values of every position: depth × positions × key width; the tables of the angles."""

    keys: np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
    values: np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
    cos: Matrix
    sin: Matrix


@helper
def _rows_of(width: int) -> int:
    return max(1, CHUNK // width)


@helper
def _row(w: Stored, start: int, row: int, x: Flat) -> np.float32:
    low = start + row * x.size
    reading_on(w.ctypes.data + low * w.itemsize, x.size * w.itemsize)
    return wide_product(w[low : low + x.size], x)


@kernel
def _product_chunk(chunk: int, w: Stored, start: int, x: Flat, out: Flat, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, out.size)
    for j in range(low, high):
        out[j] = _row(w, start, j, x)


@kernel
def product(w: Stored, start: int, x: Flat, out: Flat) -> None:
    """out = W·x, for the matrix that begins at a cell."""
    rows = _rows_of(x.size)
    parallel_for(_product_chunk, chunks_of(out.size, rows), (w, start, x, out, rows))


@kernel
def _added_chunk(chunk: int, w: Stored, start: int, x: Flat, out: Flat, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, out.size)
    for j in range(low, high):
        out[j] += _row(w, start, j, x)


@kernel
def _add_product(w: Stored, start: int, x: Flat, out: Flat) -> None:
    rows = _rows_of(x.size)
    parallel_for(_added_chunk, chunks_of(out.size, rows), (w, start, x, out, rows))


@helper
def _let_through(gate: Flat, up: Flat, out: Flat) -> None:
    for i in range(gate.size):
        out[i] = silu(gate[i]) * up[i]


@kernel
def _gated_chunk(chunk: int, w: Stored, start: int, x: Flat, gate: Flat, up: Flat, out: Flat, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, out.size)
    for j in range(low, high):
        gate[j] = _row(w, start, j, x)
        up[j] = _row(w, start, out.size + j, x)
    _let_through(gate[low:high], up[low:high], out[low:high])


@kernel
def _gated_product(w: Stored, start: int, x: Flat, room: Room) -> None:
    """inner = SiLU(W1·x) · W3·x, where the rows of W3 follow those of W1."""
    rows = max(1, _rows_of(x.size) // 2)
    arguments = (w, start, x, room.gate, room.up, room.inner, rows)
    parallel_for(_gated_chunk, chunks_of(room.inner.size, rows), arguments)


@kernel
def _normalise(gains: Flat, start: int, eps: float, room: Room) -> None:
    width = room.x.shape[1]
    rms_norm_forward(room.x, gains[start : start + width].reshape(1, width), eps, room.h, room.root)


@kernel
def _attention(
    layer: int, position: int, w: Stored, start: int, at: Layout, g: int, scale: np.float32, cache: Cache, room: Room
) -> None:
    """x += what attention makes of h."""
    wide, narrow = room.attended.size, cache.keys.shape[2]
    keys, values = cache.keys[layer], cache.values[layer]
    cos, sin = cache.cos[position : position + 1], cache.sin[position : position + 1]
    product(w, start + at.qkv, room.h[0], room.qkv)
    rotate(room.qkv[:wide].reshape(1, wide), cos, sin, False, room.turned)
    rotate(room.qkv[wide : wide + narrow].reshape(1, narrow), cos, sin, False, keys[position : position + 1])
    copy(room.qkv[wide + narrow :], values[position])
    attend_newest(room.turned[0], keys, values, position + 1, g, scale, room.heads, room.attended)
    _add_product(w, start + at.o, room.attended, room.x[0])


@kernel
def output(w: Stored, gains: Flat, at: Layout, eps: float, room: Room) -> None:
    """The logits of the row x."""
    _normalise(gains, at.last_gain, eps, room)
    product(w, at.output, room.h[0], room.logits)


@kernel
def decode(
    token: Labels,
    position: int,
    w: Stored,
    gains: Flat,
    at: Layout,
    g: int,
    eps: float,
    scale: np.float32,
    cache: Cache,
    room: Room,
) -> None:
    """The logits after a token at a position, and its keys and values into the cache."""
    wide_rows(w, at.table, token, room.x)
    for layer in range(cache.keys.shape[0]):
        start = at.blocks + layer * at.block
        _normalise(gains, at.gain + layer * at.gains, eps, room)
        _attention(layer, position, w, start, at, g, scale, cache, room)
        _normalise(gains, at.other_gain + layer * at.gains, eps, room)
        _gated_product(w, start + at.gated, room.h[0], room)
        _add_product(w, start + at.down, room.inner, room.x[0])
    output(w, gains, at, eps, room)
