"""RoPE's kernels: pairs of numbers rotated by tables of cosines and sines.

8 bytes and 3 FLOPs a number, 6 a pair; the tables of t positions are shared by all heads and sequences. One of the two
products of a sum is not rounded (fma).

A loop over a narrow head would spend its time in its ends. For these, tables are spread over whole rows (`spread`), and
a sequence is one loop: each number with the other of its pair, which stands `distance` before or after it. The tables
are then as large as a sequence, and a third of the traffic each where a batch has few of them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, PlaceMatrix, Places
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.vecmath import fma

CHUNK: Final = 1 << 14  # numbers a chunk has at least
NARROW: Final = 16  # pairs of a head: with fewer, the loop over rows is faster


@helper
def _rotate_halves(a: Flat, b: Flat, cos: Flat, sin: Flat, first: Flat, second: Flat) -> None:
    for c in range(cos.size):
        first[c] = fma(a[c], cos[c], -(b[c] * sin[c]))
        second[c] = fma(b[c], cos[c], a[c] * sin[c])


@helper
def _rotate_neighbours(x: Flat, cos: Flat, sin: Flat, y: Flat) -> None:
    for c in range(cos.size):
        y[2 * c] = fma(x[2 * c], cos[c], -(x[2 * c + 1] * sin[c]))
        y[2 * c + 1] = fma(x[2 * c + 1], cos[c], x[2 * c] * sin[c])


@kernel
def _rows(chunk: int, x: Matrix, cos: Matrix, sin: Matrix, is_interleaved: bool, y: Matrix, rows: int) -> None:
    t, half = cos.shape
    first, last = chunk_bounds(chunk, rows, x.shape[0])
    for r in range(first, last):
        c, s = cos[r % t], sin[r % t]
        for low in range(0, x.shape[1], 2 * half):
            middle, high = low + half, low + 2 * half
            if is_interleaved:
                _rotate_neighbours(x[r, low:high], c, s, y[r, low:high])
            else:
                _rotate_halves(x[r, low:middle], x[r, middle:high], c, s, y[r, low:middle], y[r, middle:high])


@kernel
def rotate(x: Matrix, cos: Matrix, sin: Matrix, is_interleaved: bool, y: Matrix) -> None:
    """Every head of every row of x rotated into y: row r by the tables' row r mod t."""
    rows = max(1, CHUNK // x.shape[1])
    parallel_for(_rows, chunks_of(x.shape[0], rows), (x, cos, sin, is_interleaved, y, rows))


class Spread(NamedTuple):
    """Tables as wide as rows: the cosine for each number, the sine for the other of its pair, and which come first."""

    cos: Matrix
    sin: Matrix
    is_first: PlaceMatrix


def spread(cos: Matrix, sin: Matrix, heads: int, is_interleaved: bool) -> Spread:
    """The tables of `rotate` for rows of `heads` heads."""
    t, half = cos.shape
    order = (t, heads, half, 2) if is_interleaved else (t, heads, 2, half)
    pair = (1, 1, 1, 2) if is_interleaved else (1, 1, 2, 1)
    numbers = (t, 1, half, 1) if is_interleaved else (t, 1, 1, half)
    sign, first = np.array([-1, 1], np.float32).reshape(pair), np.array([1, 0], np.int32).reshape(pair)

    def wide(table: Any) -> Any:
        return np.ascontiguousarray(np.broadcast_to(table, order)).reshape(t, -1)

    return Spread(wide(cos.reshape(numbers)), wide(sin.reshape(numbers) * sign), wide(first))


@helper
def _rotate_with(x: Flat, other: Flat, cos: Flat, sin: Flat, y: Flat) -> None:
    for i in range(x.size):
        y[i] = fma(x[i], cos[i], other[i] * sin[i])


@helper
def _rotate_between(x: Flat, before: Flat, after: Flat, cos: Flat, sin: Flat, is_first: Places, y: Flat) -> None:
    for i in range(x.size):
        a, b = before[i], after[i]  # both are loaded, then one is taken: no branch
        y[i] = fma(x[i], cos[i], (b if is_first[i] != 0 else a) * sin[i])


@helper
def _rotate_sequence(x: Flat, cos: Flat, sin: Flat, is_first: Places, d: int, y: Flat) -> None:
    """Some rows: the first d numbers have nothing before them, the last d nothing after."""
    end = x.size - d
    _rotate_with(x[:d], x[d : 2 * d], cos[:d], sin[:d], y[:d])
    _rotate_with(x[end:], x[end - d : end], cos[end:], sin[end:], y[end:])
    if end > d:
        inner = x[d:end], x[: end - d], x[2 * d :]
        _rotate_between(*inner, cos[d:end], sin[d:end], is_first[d:end], y[d:end])


@kernel
def _sequences(
    chunk: int, x: Matrix, cos: Matrix, sin: Matrix, is_first: PlaceMatrix, d: int, y: Matrix, rows: int
) -> None:
    t = cos.shape[0]
    low, last = chunk_bounds(chunk, rows, x.shape[0])
    while low < last:
        place = low % t
        high, end = min(last, low + t - place), min(last - low, t - place) + place
        tables = cos[place:end].ravel(), sin[place:end].ravel(), is_first[place:end].ravel()
        _rotate_sequence(x[low:high].ravel(), *tables, d, y[low:high].ravel())
        low = high


@kernel
def rotate_spread(x: Matrix, cos: Matrix, sin: Matrix, is_first: PlaceMatrix, distance: int, y: Matrix) -> None:
    """`rotate` by spread tables, with the same bits."""
    rows = max(1, CHUNK // x.shape[1])
    parallel_for(_sequences, chunks_of(x.shape[0], rows), (x, cos, sin, is_first, distance, y, rows))
