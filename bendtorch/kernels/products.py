"""Matrix products on a fixed grid of tiles.

A BLAS gives other bits with two threads than with one. Here the output is cut into tiles by the sizes alone, and each
tile is computed by one thread (`gemm`): the same bits at any number of threads. A few rows (a·bᵀ with up to 8) are
inner products in vector lanes instead, which are twice as exact there and twice as fast.

Work: 2·m·n·k FLOPs. Traffic: out once, 4 bytes a number; a once for each column of tiles, b once for each row of them
(what is added to `out` and has several runs of k is added up in a cache before).

Each tile packs its own share of b, and of a where that is transposed, which costs a few percent of the arithmetic a
cut; so there are few tiles: two for what takes 20 microseconds, and twice as many for every fourfold work beyond a few
milliseconds, so that 64 processors have work in a product that takes a second. A deep product of a small result has
fewer: a third tile must be wide and high enough that its packing costs less than a sixth of its arithmetic. A few rows
or columns count as `AS_MANY`: they take as long, because all of the other side must be read.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.blas import part_at
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.gemm import gemm, gemm_add
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

LEAST_WORK: Final = 1 << 20  # multiplications worth a second thread: some 10 microseconds on one
MANY: Final = 1 << 28  # multiplications worth a third
MOST_TILES: Final = 64
LEAST_SIDE: Final = 32
LEAST_MEAN: Final = 220  # the harmonic mean of a third tile's sides: numbers packed are 2/mean of those multiplied
AS_MANY: Final = 16  # rows, or columns, that take no longer than fewer
FEW_ROWS: Final = 8
FEW_ROWS_WORK: Final = 1 << 16  # multiplications a chunk
ALIGN: Final = 32  # the sides of a tile are multiples of what a BLAS kernel computes at a time


@helper
def _half(side: int) -> int:
    """Half a side, rounded up to whole kernel blocks."""
    return ((side + 1) // 2 + ALIGN - 1) // ALIGN * ALIGN


@helper
def _tiles_for(work: int) -> int:
    """How many tiles are worth their packing."""
    if work < LEAST_WORK:
        return 1
    tiles = 2
    while work >= MANY and tiles < MOST_TILES:
        tiles, work = tiles * 2, work // 4
    return tiles


@helper
def halved(rows: int, columns: int) -> tuple[int, int]:
    """The sides of a tile whose longer side is halved; of equal ones the columns, as only b is always packed."""
    return (rows, _half(columns)) if columns >= rows else (_half(rows), columns)


@helper
def tile_shape(m: int, n: int, k: int) -> tuple[int, int]:
    """The sides of a tile of an m × n product over k: the longer side is halved until there are tiles enough."""
    wanted, tiles = _tiles_for(max(m, AS_MANY) * max(n, AS_MANY) * k), 1
    rows, columns = max(m, 1), max(n, 1)
    while tiles < wanted and max(rows, columns) > LEAST_SIDE:
        lower, narrower = halved(rows, columns)
        if tiles > 1 and 2 * lower * narrower < LEAST_MEAN * (lower + narrower):
            break
        rows, columns = lower, narrower
        tiles = chunks_of(m, rows) * chunks_of(n, columns)
    return rows, columns


@helper
def tiling(m: int, n: int, k: int) -> tuple[int, int, int]:
    """How many tiles an m × n product over k has (none without rows), and their sides."""
    rows, columns = tile_shape(m, n, k)
    return chunks_of(m, rows) * chunks_of(n, columns), rows, columns


@helper
def tile_bounds(tile: int, m: int, n: int, rows: int, columns: int) -> tuple[int, int, int, int]:
    """Where a tile starts (row, column), and its height and width."""
    across = chunks_of(n, columns)
    i, j = tile // across * rows, tile % across * columns
    return i, j, min(rows, m - i), min(columns, n - j)


@kernel
def _tile(
    tile: int, ta: bool, tb: bool, a: int, lda: int, b: int, ldb: int, out: Matrix, k: int, rows: int, columns: int
) -> None:
    m, n = out.shape
    i, j, height, width = tile_bounds(tile, m, n, rows, columns)
    left, right = part_at(a, not ta, lda, i), part_at(b, tb, ldb, j)
    gemm(ta, tb, height, width, k, left, lda, right, ldb, out.ctypes.data + 4 * (i * n + j), n)


@kernel
def _tile_add(tile: int, ta: bool, a: int, lda: int, b: int, out: Matrix, k: int, rows: int, columns: int) -> None:
    m, n = out.shape
    i, j, height, width = tile_bounds(tile, m, n, rows, columns)
    left, right = part_at(a, not ta, lda, i), b + 4 * j
    gemm_add(ta, False, height, width, k, left, lda, right, n, out.ctypes.data + 4 * (i * n + j), n)


@reduction
def inner_product(a: Flat, b: Flat) -> np.float32:
    """Σ a·b, in vector lanes."""
    total = np.float32(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel
def _few_rows_chunk(chunk: int, a: Matrix, b: Matrix, out: Matrix, columns: int) -> None:
    low, high = chunk_bounds(chunk, columns, b.shape[0])
    for j in range(low, high):
        for i in range(a.shape[0]):
            out[i, j] = inner_product(a[i], b[j])


@kernel
def few_rows_nt(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a·bᵀ for an a of few rows: each row of b is read once."""
    m, k = a.shape
    columns = max(1, FEW_ROWS_WORK // max(m * k, 1))
    parallel_for(_few_rows_chunk, chunks_of(b.shape[0], columns) if m > 0 else 0, (a, b, out, columns))


@kernel
def matmul_nt(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a·bᵀ."""
    m, k = a.shape
    if m <= FEW_ROWS:
        few_rows_nt(a, b, out)
        return
    n = b.shape[0]
    tiles, rows, columns = tiling(m, n, k)
    parallel_for(_tile, tiles, (False, True, a.ctypes.data, k, b.ctypes.data, k, out, k, rows, columns))


@kernel
def matmul_nn(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a·b."""
    m, k = a.shape
    n = b.shape[1]
    tiles, rows, columns = tiling(m, n, k)
    parallel_for(_tile, tiles, (False, False, a.ctypes.data, k, b.ctypes.data, n, out, k, rows, columns))


@kernel
def matmul_nn_add(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out += a·b, with the bits of computing the product apart and adding it."""
    m, k = a.shape
    tiles, rows, columns = tiling(m, b.shape[1], k)
    parallel_for(_tile_add, tiles, (False, a.ctypes.data, k, b.ctypes.data, out, k, rows, columns))


@kernel
def matmul_tn(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = aᵀ·b."""
    k, m = a.shape
    n = b.shape[1]
    tiles, columns, rows = tiling(n, m, k)  # if sides are equal, the rows are halved: a is packed, too
    parallel_for(_tile, tiles, (True, False, a.ctypes.data, m, b.ctypes.data, n, out, k, rows, columns))


@kernel
def matmul_tn_add(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out += aᵀ·b, with the bits of computing the product apart and adding it."""
    k, m = a.shape
    n = b.shape[1]
    tiles, columns, rows = tiling(n, m, k)  # if sides are equal, the rows are halved: a is packed, too
    parallel_for(_tile_add, tiles, (True, a.ctypes.data, m, b.ctypes.data, out, k, rows, columns))
