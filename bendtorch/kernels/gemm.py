"""Single-precision matrix products for kernels: our own tiles in registers, OpenBLAS for small products.

A product is cut into runs of k. Each run is summed in registers, from zero and in the order of k (`blocking`); the
runs' totals are added in order, and their sum is added to what c holds, where that is wanted. So the bits of a result
follow from its row, its column and the length of the runs: not from the cut, from where arrays lie, or from what lies
beside them. A few rows times a b that is not transposed, which is reading b, have shorter runs: so few rows of b are
read side by side that the processor sees where reading goes on.

2·m·n·k FLOPs. c is written once, then read and written again for each further run; a run's traffic stands in
`blocking`.

OpenBLAS multiplies small matrices without packing, which is faster for those that are not transposed the wrong way; its
products with a few columns are faster, too. It does everything on processors that have neither AVX-512 nor AVX2.
"""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
from numba import types

from bendtorch.kernels import microkernel
from bendtorch.kernels.blas import INNER, blas_in_runs
from bendtorch.kernels.blocking import (
    LINE,
    NAMES,
    OWN,
    Factor,
    Target,
    columns_from,
    multiply_run,
    rows_from,
    space_of,
)
from bendtorch.kernels.cache import before_kernels
from bendtorch.kernels.compile import helper
from bendtorch.kernels.machine_code import provide, provide_function
from bendtorch.kernels.panels import add_into, floats
from bendtorch.kernels.parallel import chunks_of
from bendtorch.kernels.vectors import LANES

SMALL: Final = 1 << 19  # multiplications that OpenBLAS does without packing
FEWEST: Final = 4  # rows of c for which a product is reading b
SHORT: Final = 32  # the longest run of theirs
PRODUCT: Final = "bendtorch_multiply"


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
    """All of a product: what is compiled once. A flag is 0 or 1, as every argument is an int64 in its C function.

    Several runs that are added to c are first added up apart, behind what is packed.
    """
    start, runs = (space + LINE - 1) // LINE * LINE, chunks_of(k, run)
    apart = start + space_of(m, n)
    left, right = Factor(a, lda, ta != 0), Factor(b, ldb, tb != 0)
    for i in range(runs):
        low, high = i * k // runs, (i + 1) * k // runs
        following = columns_from(left, high), rows_from(right, high)
        if high == k:
            following = Factor(0, lda, ta != 0), Factor(0, ldb, tb != 0)
        out = Target(c, ldc, 1 if add != 0 or i > 0 else 0, 0, 0)
        if add != 0 and runs > 1:
            out = Target(c, ldc, 2, apart, n) if high == k else Target(apart, n, 1 if i > 0 else 0, 0, 0)
        multiply_run(columns_from(left, low), rows_from(right, low), m, n, high - low, out, start, *following)


@helper
def _by_blas(
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
    """c = op(a)·op(b), or c += op(a)·op(b), by OpenBLAS. What has several runs is computed apart, then added."""
    if not add or k <= run:
        blas_in_runs(run, add, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
        return
    product = np.empty((m, n), np.float32)
    blas_in_runs(run, False, ta, tb, m, n, k, a, lda, b, ldb, product.ctypes.data, n)
    for r in range(m):
        add_into(product[r], floats(c + 4 * r * ldc, n))


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
    _by_blas(run, add != 0, ta != 0, tb != 0, m, n, k, a, lda, b, ldb, c, ldc)


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
    size = space_of(m, n) + (4 * m * n if add and k > run else 0)
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
        _by_blas(run, add, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
    else:
        short = min(run, SHORT) if m <= FEWEST and not tb else run
        multiply(short, add, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


_in_runs: Final = _large_or_small if OWN else _by_blas


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
    """c += op(a)·op(b), as `gemm`, with the bits of computing the product apart and adding it."""
    _in_runs(INNER, True, ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
