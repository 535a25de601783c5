"""Single-precision matrix products: OpenBLAS, called from inside kernels.

The library is a copy of our own (the `scipy-openblas64` wheel), loaded with one thread: numpy's copy stays as the user
set it, and ours never starts a thread, so it cannot hang in a forked child and its bits do not depend on a number of
threads. Large products are our own business (`gemm`), and parallel ones (`products`). A call costs a third to a ninth
of `np.dot`'s.

2·m·n·k FLOPs; how often it reads a and b is OpenBLAS's business.

With the JIT off, the same function is called from Python.
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

from bendtorch.kernels.atomics import pointer
from bendtorch.kernels.compile import JIT, helper

ROW_MAJOR: Final = 101
PLAIN: Final = 111
TRANSPOSED: Final = 112


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

_int, _size, _float, _matrix = ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
_kinds: Final = (*[_int] * 3, *[_size] * 3, _float, _matrix, _size, _matrix, _size, _float, _matrix, _size)
_numba: Final = {_int: types.int32, _size: types.int64, _float: types.float32, _matrix: types.voidptr}
openblas.scipy_cblas_sgemm64_.argtypes = _kinds  # type: ignore[assignment]
_sgemm: Any = openblas.scipy_cblas_sgemm64_
_at: Any = int
if JIT:
    _sgemm = types.ExternalFunction("bendtorch_sgemm", types.void(*[_numba[kind] for kind in _kinds]))
    _at = pointer

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
        _at(a),
        lda,
        _at(b),
        ldb,
        beta,
        _at(c),
        ldc,
    )
