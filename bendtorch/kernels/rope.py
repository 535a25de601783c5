"""RoPE's kernels: pairs of numbers rotated by tables of cosines and sines.

8 bytes and 3 FLOPs a number, 6 a pair; the tables of t positions are shared by all heads and sequences. One of the two
products of a sum is not rounded (fma).
"""

from __future__ import annotations

from typing import Final

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.vecmath import fma

CHUNK: Final = 1 << 14  # numbers a chunk has at least


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
