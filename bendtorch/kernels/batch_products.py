"""Products of many matrices: out[i] = op(a[i])·op(b[i]), where either side may be one matrix for all.

2·b·m·n·k FLOPs. The tiles of all products are dealt out together, so many small ones and few large ones both keep all
threads busy; their bits are those of one product after another.
"""

from __future__ import annotations

from bendtorch.kernels.arrays import Cube, Flat
from bendtorch.kernels.blas import gemm, part_at
from bendtorch.kernels.compile import kernel
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.products import tile_bounds, tiling


@kernel
def _tile(
    tile: int,
    ta: bool,
    tb: bool,
    a: Flat,
    a_step: int,
    b: Flat,
    b_step: int,
    out: Cube,
    k: int,
    tiles: int,
    rows: int,
    columns: int,
) -> None:
    m, n = out.shape[1], out.shape[2]
    item = tile // tiles
    i, j, height, width = tile_bounds(tile % tiles, m, n, rows, columns)
    lda, ldb = m if ta else k, k if tb else n
    left = part_at(a.ctypes.data + 4 * item * a_step, not ta, lda, i)
    right = part_at(b.ctypes.data + 4 * item * b_step, tb, ldb, j)
    gemm(ta, tb, height, width, k, left, lda, right, ldb, out.ctypes.data + 4 * ((item * m + i) * n + j), n)


@kernel
def batch_product(ta: bool, tb: bool, a: Flat, a_step: int, b: Flat, b_step: int, out: Cube, k: int) -> None:
    """out[i] = op(a[i])·op(b[i]), where the matrices are `a_step` and `b_step` numbers apart: 0 for one matrix.

    `ta` and `tb` say that a's and b's are stored transposed; k, the inner size, is at least 1.
    """
    tiles, rows, columns = tiling(out.shape[1], out.shape[2], k)
    parallel_for(_tile, out.shape[0] * tiles, (ta, tb, a, a_step, b, b_step, out, k, tiles, rows, columns))
