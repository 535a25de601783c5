"""A linear layer's kernels: products with the bias and the column sums beside them.

linear_forward: 2·n·i·o + n·o FLOPs; the bias is added to a tile of y while the tile is still in the cache. It reads x,
w and b and writes y: 4·(n·i + o·i + o + n·o) bytes where both sides of a product fit into a cache (`products`).

linear_gradients: 2·n·i·o + n·o FLOPs, and an addition a number of gw and gb. It reads x once and dy twice, reads and
writes gw and gb: 4·(n·i + 2·n·o + 2·o·i + 2·o) bytes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.gemm import gemm
from bendtorch.kernels.panels import add_into
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.products import FEW_ROWS, few_rows_nt, matmul_tn_add, tile_bounds, tiling

SUM_COLUMNS: Final = 64  # columns whose sums are taken together: their float64 totals stay in registers and L1
FEW_NUMBERS: Final = 1 << 16  # summed by one thread in the time that two take, who have to begin together


@kernel
def _biased_tile(tile: int, x: Matrix, w: Matrix, b: Matrix, y: Matrix, rows: int, columns: int) -> None:
    n, o = y.shape
    k = x.shape[1]
    i, j, height, width = tile_bounds(tile, n, o, rows, columns)
    left, right, out = x.ctypes.data + 4 * i * k, w.ctypes.data + 4 * j * k, y.ctypes.data + 4 * (i * o + j)
    gemm(False, True, height, width, k, left, k, right, k, out, o)
    for r in range(i, i + height):
        add_into(b[0, j : j + width], y[r, j : j + width])


@kernel
def linear_forward(x: Matrix, w: Matrix, b: Matrix, y: Matrix) -> None:
    """y = x·wᵀ + b, for b of one row."""
    n, o = y.shape
    if n <= FEW_ROWS:
        few_rows_nt(x, w, y)
        for r in range(n):
            add_into(b[0], y[r])
        return
    tiles, rows, columns = tiling(n, o, x.shape[1])
    parallel_for(_biased_tile, tiles, (x, w, b, y, rows, columns))


@helper
def add_to_totals(source: Flat, totals: Totals) -> None:
    """totals += source, in float64."""
    for c in range(source.size):
        totals[c] += np.float64(source[c])


@kernel
def _sum_columns(chunk: int, dy: Matrix, gb: Matrix, columns: int) -> None:
    n, o = dy.shape
    low, high = chunk_bounds(chunk, columns, o)
    totals = np.zeros(high - low, np.float64)
    for r in range(n):
        add_to_totals(dy[r, low:high], totals)
    for c in range(low, high):
        gb[0, c] += np.float32(totals[c - low])


@kernel
def add_column_sums(dy: Matrix, gb: Matrix) -> None:
    """gb += the column sums of dy, each taken in float64 and rounded once."""
    columns = SUM_COLUMNS if dy.size > FEW_NUMBERS else dy.shape[1]
    parallel_for(_sum_columns, chunks_of(dy.shape[1], columns), (dy, gb, columns))


@kernel
def linear_gradients(dy: Matrix, x: Matrix, gw: Matrix, gb: Matrix) -> None:
    """gw += dyᵀ·x and gb += the column sums of dy."""
    matmul_tn_add(dy, x, gw)
    add_column_sums(dy, gb)
