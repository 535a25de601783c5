"""Sums over the rows of a matrix, taken while the rows are in the cache: in runs of a few rows.

Traffic beside that of the rows: a row of sums, written and read, for each run of 16 rows: half a byte a number.

A float32 sum of few terms loses little, and the runs are cut by the number of rows alone. Their sums, a row for each,
are added in float64 afterwards (`linear.add_column_sums`), so the bits do not depend on the threads.

A row is passed over twice, first for its sums: while these are taken, its place in the result is brought near, and the
next row during the second pass. A backward pass takes a tenth less so.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Matrix
from bendtorch.kernels.compile import helper
from bendtorch.kernels.prefetch import LINE, read_near, write_near
from bendtorch.kernels.rows import CHUNK

ROWS: Final = 16  # rows of a run
SHORT: Final = 1024  # numbers of a row that is brought near as a whole: several fit into the first cache


@helper
def runs_of_rows(n: int) -> int:
    """How many runs there are in `n` rows."""
    return -(-n // ROWS)


@helper
def runs_of_chunk(c: int) -> int:
    """How many runs of rows of `c` numbers a chunk has."""
    return max(1, CHUNK // (ROWS * c))


@helper
def room_for_sums(n: int, c: int) -> Matrix:
    """A row of `c` numbers for each run of `n` rows, from the beginning of a cache line on."""
    runs = runs_of_rows(n)
    room = np.empty(runs * c + LINE // 4, np.float32)
    first = (LINE - room.ctypes.data % LINE) // 4
    return room[first : first + runs * c].reshape(runs, c)


@helper
def row_to_read(x: Matrix, r: int) -> None:
    """Row r, or the place behind the last one, is about to be read."""
    c = x.shape[1]
    if c <= SHORT:
        read_near(x.ctypes.data + 4 * c * r, 4 * c)


@helper
def row_to_write(x: Matrix, r: int) -> None:
    """Row r is about to be written."""
    c = x.shape[1]
    if c <= SHORT:
        write_near(x.ctypes.data + 4 * c * r, 4 * c)
