"""Single-precision matrix products for kernels: our own tiles in registers, OpenBLAS for small products.

A product is cut into runs of k, and each run into blocks: a block of op(b), packed into panels of a tile's width, and
with it blocks of rows of op(a), packed so that the numbers of one k lie side by side. Panels stay in the second-level
cache, a block of rows in the first; b's panels and rows of c then go by in the order in which they lie in memory.

Each run is summed in registers, from zero and in the order of k; the runs' totals are added in order. So the bits of a
result follow from its row and column: not from the cut, from where arrays lie, or from what lies beside them.

2·m·n·k FLOPs. Of memory b is read once, a once for every 640 columns of b, and c written once, then read and written
again for each further run of k; what is packed is written and read in the caches, 8 bytes a number.

OpenBLAS multiplies small matrices without packing, which is faster for those that are not transposed the wrong way; its
products with a few columns are faster, too. It does everything on processors that have neither AVX-512 nor AVX2.
"""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
from numba import types

from bendtorch.kernels import microkernel
from bendtorch.kernels.blas import INNER, blas_in_runs, part_at
from bendtorch.kernels.cache import before_kernels
from bendtorch.kernels.compile import JIT, helper, kernel
from bendtorch.kernels.machine_code import provide, provide_function
from bendtorch.kernels.microkernel import HEIGHTS, LANES, ROWS, SUPPORTED, WIDTH
from bendtorch.kernels.parallel import chunks_of

SMALL: Final = 1 << 19  # multiplications that OpenBLAS does without packing
GROUP: Final = 8 * ROWS  # rows of a packed at a time
COLUMNS: Final = 640  # columns of b packed at a time, at most: some 600 KB of a second-level cache
FEW: Final = 4 * ROWS  # rows of c for which it does not pay to pack b, if its rows lie close together
NARROW: Final = 64  # columns of c for which it does not pay to pack a
LINE: Final = 64
PANEL: Final = 4 * WIDTH * (INNER + LANES) + LINE  # bytes; panels start in different sets of a cache
PRODUCT: Final = "bendtorch_multiply"
BLOCK: Final = 4 * (ROWS * (INNER + LANES) + LANES) + LINE

OWN: Final = JIT and SUPPORTED
NAMES: Final = ("bendtorch_tile", "bendtorch_turn", "bendtorch_pack_rows", "bendtorch_pack_columns")

if OWN:
    _signatures = (types.void(*[types.int64] * 13), *[types.void(*[types.int64] * 6)] * 3)
    _tile, _turn, _copy_rows, _copy_columns = map(types.ExternalFunction, NAMES, _signatures)


@helper
def _pack_panels(tb: bool, n: int, k: int, b: int, ldb: int, out: int) -> None:
    """Columns of op(b), `WIDTH` side by side."""
    if not tb:
        _copy_columns(b, 4 * ldb, k, n, out, PANEL)
        return
    for j in range(0, n, LANES):
        panel = out + j // WIDTH * PANEL + 4 * (j % WIDTH)
        for p in range(0, k, LANES):
            _turn(b + 4 * (j * ldb + p), 4 * ldb, n - j, k - p, panel + 4 * WIDTH * p, 4 * WIDTH)


@helper
def _pack_rows(ta: bool, m: int, k: int, a: int, lda: int, out: int) -> None:
    """Rows of op(a), `ROWS` side by side."""
    if ta:
        _copy_rows(a, 4 * lda, k, m, out, BLOCK)
        return
    for block in range(chunks_of(m, ROWS)):
        low = block * ROWS
        for p in range(0, k, LANES):
            place = out + BLOCK * block + 4 * ROWS * p
            _turn(a + 4 * (low * lda + p), 4 * lda, min(ROWS, m - low), k - p, place, 4 * ROWS)


@helper
def _tiles(
    rows: int,
    k: int,
    a: int,
    a_step: int,
    b: int,
    b_step: int,
    c: int,
    ldc: int,
    width: int,
    add: int,
    ahead: tuple[int, int, int],
) -> None:
    """The tiles of a block of rows and a panel."""
    done = 0
    for height in HEIGHTS:
        while rows - done >= height:
            _tile(height, k, a + 4 * done, a_step, b, b_step, c + 4 * done * ldc, 4 * ldc, width, add, *ahead)
            done += height


@kernel
def _multiply_group(
    rows: tuple[int, int, int, bool],
    columns: tuple[int, int, int, int, int],
    k: int,
    c: int,
    ldc: int,
    add: int,
    ahead: tuple[int, int, int, int],
) -> None:
    """Rows of op(a), as they are packed or as they lie, times panels of op(b)."""
    m, a, a_step, packed = rows
    n, b, b_step, to_next, rest = columns
    later, coming, stride, each = ahead
    for low in range(0, m, ROWS):
        height = min(ROWS, m - low)
        left, step = (a + BLOCK * (low // ROWS), 4 * ROWS) if packed else (a + 4 * low, a_step)
        for j in range(0, n, WIDTH):
            width = min(WIDTH, n - j)
            right, right_step = (b + j // WIDTH * to_next, b_step) if width == WIDTH else (rest, 4 * WIDTH)
            near = (later, stride if coming > 1 else 0, each) if coming > 0 else (b, 0, 0)
            _tiles(height, k, left, step, right, right_step, c + 4 * (low * ldc + j), ldc, width, add, near)
            later, coming = later + 2 * stride, coming - 2


@kernel
def _multiply_run(
    ta: bool,
    tb: bool,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    c: int,
    ldc: int,
    add: int,
    space: int,
    following: int,
) -> None:
    """One run of k. `following`: b's part in the next run, or 0."""
    packed = not ta or n > NARROW
    panels = tb or m > FEW or (m > ROWS and ldb > COLUMNS)
    left = space + PANEL * chunks_of(min(n, COLUMNS), WIDTH)
    all_panels, blocks = chunks_of(n, WIDTH), chunks_of(n, COLUMNS)
    for block in range(blocks):
        j = all_panels * block // blocks * WIDTH
        width = min(all_panels * (block + 1) // blocks * WIDTH, n) - j
        source, whole = part_at(b, tb, ldb, j), width // WIDTH
        last = block == blocks - 1
        later = following if last else part_at(b, tb, ldb, j + width)
        count = (width if tb else k) if panels and later != 0 else 0
        each = 4 if tb else (4 * width // k + 7) // 4 * 4
        if panels:
            _pack_panels(tb, width, k, source, ldb, space)
            columns = width, space, 4 * WIDTH, PANEL, space + PANEL * whole
        else:
            if whole * WIDTH < width:
                _pack_panels(False, width - whole * WIDTH, k, source + 4 * WIDTH * whole, ldb, space)
            columns = width, source, 4 * ldb, 4 * WIDTH, space
        for i in range(0, m, GROUP):
            height, rows = min(GROUP, m - i), part_at(a, not ta, lda, i)
            if packed:
                _pack_rows(ta, height, k, rows, lda, left)
                rows = left
            ahead = later, count, 4 * ldb, each
            _multiply_group((height, rows, 4 * lda, packed), columns, k, c + 4 * (i * ldc + j), ldc, add, ahead)
            done = 2 * chunks_of(height, ROWS) * chunks_of(width, WIDTH)
            later, count = later + 4 * ldb * done, count - done


def _multiply(
    run: int,
    add: int,
    ta: int,
    tb: int,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    c: int,
    ldc: int,
    space: int,
) -> None:
    """All of a product: what is compiled once. A flag is 0 or 1, as every argument is an int64 in its C function."""
    start = (space + LINE - 1) // LINE * LINE
    runs = chunks_of(k, run)
    for i in range(runs):
        low = i * k // runs
        left, right = part_at(a, ta != 0, lda, low), part_at(b, tb == 0, ldb, low)
        adding = 1 if add != 0 or i > 0 else 0
        width = (i + 1) * k // runs - low
        following = part_at(right, tb == 0, ldb, width) if i + 1 < runs else 0
        _multiply_run(ta != 0, tb != 0, m, n, width, left, lda, right, ldb, c, ldc, adding, start, following)


def _multiply_by_blas(
    run: int,
    add: int,
    ta: int,
    tb: int,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    c: int,
    ldc: int,
    space: int,
) -> None:
    """What takes the place of `_multiply` where that cannot be compiled."""
    blas_in_runs(run, add != 0, ta != 0, tb != 0, m, n, k, a, lda, b, ldb, c, ldc)


def make_known() -> None:
    """Compile what kernels call by the name of `_product`, or load it. Whatever goes wrong, there is such a function.

    Kernels are kept on disk, and other processes load them: they all call that name.
    """
    signature = types.void(*[types.int64] * 14)
    try:
        provide("gemm", microkernel.build, NAMES)
        provide_function(PRODUCT, _multiply, signature)
    except Exception as problem:  # what compiles LLVM code is no public part of numba
        warnings.warn(f"bendtorch: products are left to OpenBLAS ({problem!r})", RuntimeWarning, stacklevel=2)
        provide_function(PRODUCT, _multiply_by_blas, signature, kept=False)


if OWN:
    _product = types.ExternalFunction(PRODUCT, types.void(*[types.int64] * 14))
    before_kernels(make_known)


@helper
def multiply(
    run: int,
    add: bool,
    ta: bool,
    tb: bool,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    c: int,
    ldc: int,
) -> None:
    """c = op(a)·op(b), or c += op(a)·op(b), in equal runs of at most `run`, which is at most `INNER`."""
    size = PANEL * chunks_of(min(n, COLUMNS), WIDTH) + BLOCK * chunks_of(min(m, GROUP), ROWS)
    space = np.empty((size + LINE) // 4, np.float32)
    flags = 1 if add else 0, 1 if ta else 0, 1 if tb else 0
    _product(run, *flags, m, n, k, a, lda, b, ldb, c, ldc, space.ctypes.data)
    space[0] = np.float32(0)  # an array lives until its last use; its address is none


@helper
def _large_or_small(
    run: int,
    add: bool,
    ta: bool,
    tb: bool,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    c: int,
    ldc: int,
) -> None:
    if k == 0 or n < LANES or (not tb and m * n * k <= SMALL):
        blas_in_runs(run, add, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
    else:
        multiply(run, add, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


_in_runs: Final = _large_or_small if OWN else blas_in_runs


@helper
def gemm_in_runs(
    run: int, ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int
) -> None:
    """`gemm` with runs of another length, its first argument: at most `INNER`."""
    _in_runs(run, False, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


@helper
def gemm(ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int) -> None:
    """c = op(a)·op(b) for row-major float32 matrices at addresses: c is m × n, op(a) m × k, op(b) k × n.

    `ta` and `tb` say that a and b are stored transposed; `lda`, `ldb`, `ldc` are the strides of their rows in numbers.
    The inner dimension is summed in runs of `INNER`, which halves the rounding error of long sums at little cost.
    """
    _in_runs(INNER, False, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


@helper
def gemm_add(ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int) -> None:
    """c += op(a)·op(b), as `gemm`. The bits depend on what c held: for sums of several products, from zeros on."""
    _in_runs(INNER, True, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
