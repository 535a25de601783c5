"""Single-precision matrix products: OpenBLAS, called from inside kernels.

The library is a copy of our own (the `scipy-openblas64` wheel), loaded with one thread: numpy's copy stays as the user
set it, and ours never starts a thread, so it cannot hang in a forked child and its bits do not depend on a number of
threads. Large products are our own business (`gemm`), and parallel ones (`products`). A call costs a third to a ninth
of `np.dot`'s.

With the JIT off, numpy takes its place.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
from numba import types

from bendtorch.kernels.arrays import Matrix
from bendtorch.kernels.atomics import pointer
from bendtorch.kernels.compile import JIT, helper

ROW_MAJOR: Final = np.int32(101)
PLAIN: Final = np.int32(111)
TRANSPOSED: Final = np.int32(112)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """OpenBLAS reads its thread count from the environment while it is loaded."""
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = before


def _library() -> ctypes.CDLL:
    """Our copy of OpenBLAS."""
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
    package = importlib.util.find_spec("scipy_openblas64")  # importing it would load the library, with all threads
    places = package.submodule_search_locations if package else None
    found = [path for place in places or () for path in Path(place, "lib").glob(f"*openblas64_*{suffix}")]
    if not found:
        raise ImportError("bendtorch needs the package scipy-openblas64; install it with: pip install scipy-openblas64")
    with _one_thread():
        library = ctypes.CDLL(str(found[0]))
    library.scipy_openblas_set_num_threads64_(1)  # somebody else may have loaded it before
    return library


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


openblas: Final = _library()
llvm.add_symbol("bendtorch_sgemm", _address(openblas.scipy_cblas_sgemm64_))

if JIT:
    _i32, _i64, _f32, _pointer = types.int32, types.int64, types.float32, types.voidptr
    _sgemm = types.ExternalFunction(
        "bendtorch_sgemm",
        types.void(
            *(_i32, _i32, _i32, _i64, _i64, _i64), *(_f32, _pointer, _i64), *(_pointer, _i64), *(_f32, _pointer, _i64)
        ),
    )


INNER: Final = 256  # terms summed at a time: the error of a sum grows with the square root of its run


@helper
def part_at(base: int, along_rows: bool, stride: int, start: int) -> int:
    """The address of the part of a stored matrix that begins at row (`along_rows`) or at column `start`."""
    return base + 4 * (start * stride if along_rows else start)


@helper
def blas_in_runs(
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
    """c = op(a)·op(b), or c += op(a)·op(b), in runs of `run` terms of the inner dimension."""
    first = min(k, run)
    if not add or first > 0:
        _gemm_run(ta, tb, m, n, first, a, lda, b, ldb, np.float32(1 if add else 0), c, ldc)
    for start in range(run, k, run):
        left, right = part_at(a, ta, lda, start), part_at(b, not tb, ldb, start)
        _gemm_run(ta, tb, m, n, min(run, k - start), left, lda, right, ldb, np.float32(1), c, ldc)


@helper
def _gemm_run(
    ta: bool,
    tb: bool,
    m: int,
    n: int,
    k: int,
    a: int,
    lda: int,
    b: int,
    ldb: int,
    beta: np.float32,
    c: int,
    ldc: int,
) -> None:
    _sgemm(
        ROW_MAJOR,
        TRANSPOSED if ta else PLAIN,
        TRANSPOSED if tb else PLAIN,
        m,
        n,
        k,
        np.float32(1),
        pointer(a),
        lda,
        pointer(b),
        ldb,
        beta,
        pointer(c),
        ldc,
    )


def _floats(address: int, rows: int, columns: int, stride: int) -> Matrix:
    """The matrix at an address, with the JIT off."""
    if rows == 0 or columns == 0:
        return np.empty((rows, columns), np.float32)
    cells = (ctypes.c_float * ((rows - 1) * stride + columns)).from_address(address)
    return np.lib.stride_tricks.as_strided(np.ctypeslib.as_array(cells), (rows, columns), (4 * stride, 4))


def plain_add(ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int) -> None:
    """c += op(a)·op(b), with the JIT off."""
    left = _floats(a, k, m, lda).T if ta else _floats(a, m, k, lda)
    right = _floats(b, n, k, ldb).T if tb else _floats(b, k, n, ldb)
    _floats(c, m, n, ldc)[...] += left @ right


def plain_in_runs(
    run: int, ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int
) -> None:
    """c = op(a)·op(b), with the JIT off: in whatever runs numpy takes."""
    _floats(c, m, n, ldc)[...] = 0
    plain_add(ta, tb, m, n, k, a, lda, b, ldb, c, ldc)
