"""Rows of a matrix taken and added by number, and the transpose: 8 bytes a number; 12, and a FLOP, where it is added.

Ids must be in range. A sum of rows is taken in the order of the ids: threads share the columns, not the ids.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Labels, Matrix
from bendtorch.kernels.compile import kernel
from bendtorch.kernels.copying import copy
from bendtorch.kernels.panels import add_into
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import rows_of_chunk

COLUMNS: Final = 64  # columns a chunk of a sum of rows: four cache lines of each row
TILE: Final = 32  # a square of 4 KiB and its transpose stay in L1


@kernel
def _gather_chunk(chunk: int, table: Matrix, ids: Labels, out: Matrix, rows: int) -> None:
    low, high = chunk_bounds(chunk, rows, out.shape[0])
    for r in range(low, high):
        copy(table[int(ids[r])], out[r])


@kernel
def gather_rows(table: Matrix, ids: Labels, out: Matrix) -> None:
    """out[r] = table[ids[r]]."""
    rows = rows_of_chunk(max(1, out.shape[1]))
    parallel_for(_gather_chunk, chunks_of(out.shape[0], rows), (table, ids, out, rows))


@kernel
def _scatter_chunk(chunk: int, ids: Labels, x: Matrix, out: Matrix) -> None:
    low, high = chunk_bounds(chunk, COLUMNS, x.shape[1])
    for r in range(ids.size):
        add_into(x[r, low:high], out[int(ids[r]), low:high])


@kernel
def scatter_add_rows(ids: Labels, x: Matrix, out: Matrix) -> None:
    """out[ids[r]] += x[r], for r = 0, 1, 2, … in this order."""
    parallel_for(_scatter_chunk, chunks_of(x.shape[1], COLUMNS), (ids, x, out))


@kernel
def _transpose_chunk(chunk: int, x: Matrix, out: Matrix) -> None:
    top, bottom = chunk_bounds(chunk, TILE, x.shape[0])
    square = np.empty((TILE, TILE), np.float32)  # rows of a power of two would all meet in one set of the cache
    for left in range(0, x.shape[1], TILE):
        right = min(x.shape[1], left + TILE)
        for i in range(top, bottom):
            for j in range(left, right):
                square[j - left, i - top] = x[i, j]
        for j in range(left, right):
            copy(square[j - left, : bottom - top], out[j, top:bottom])


@kernel
def transpose(x: Matrix, out: Matrix) -> None:
    """out = xᵀ, square by square."""
    parallel_for(_transpose_chunk, chunks_of(x.shape[0], TILE), (x, out))
