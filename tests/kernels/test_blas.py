"""The product that kernels call: blocks inside of larger arrays, plain and transposed; a library with one thread."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.kernels import blas
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds, shrunk, widths

GEMM, GEMM_ADD = blas.gemm, blas.gemm_add


@compiled
def call(ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int) -> None:
    GEMM(ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


@compiled
def call_add(ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, ldc: int) -> None:
    GEMM_ADD(ta, tb, m, n, k, a, lda, b, ldb, c, ldc)


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("k", [0, 1, 5, shrunk(256, 6), shrunk(600, 7)])
@given(m=widths, n=widths, seed=seeds)
def test_products_are_added(ta: bool, tb: bool, k: int, m: int, n: int, seed: int) -> None:
    a, b = numbers(seed, *((k, m) if ta else (m, k))), numbers(seed + 1, *((n, k) if tb else (k, n)))
    c = numbers(seed + 2, m, n)
    exact, before = product((a.T if ta else a).astype("f8"), (b.T if tb else b).astype("f8"), more=4), c.astype("f8")
    call_add(ta, tb, m, n, k, a.ctypes.data, a.shape[1], b.ctypes.data, b.shape[1], c.ctypes.data, n)
    assert np.all(np.abs(c - before - exact.value) <= exact.bound + 2.0**-21 * np.abs(before))


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@given(m=widths, n=widths, k=widths, seed=seeds)
def test_blocks_of_larger_arrays(ta: bool, tb: bool, m: int, n: int, k: int, seed: int) -> None:
    """Nothing outside of the target block is read into it or written."""
    a_shape, b_shape = ((k, m) if ta else (m, k)), ((n, k) if tb else (k, n))
    wide_a = np.full((a_shape[0] + 2, a_shape[1] + 3), np.nan, np.float32)
    wide_b = np.full((b_shape[0] + 1, b_shape[1] + 2), np.nan, np.float32)
    wide_c: Any = np.full((m + 2, n + 3), 7, np.float32)
    a, b, c = wide_a[1:-1, 1:-2], wide_b[:-1, 2:], wide_c[1:-1, 2:-1]
    a[...], b[...], c[...] = numbers(seed, *a_shape), numbers(seed + 1, *b_shape), np.nan
    call(ta, tb, m, n, k, a.ctypes.data, a.strides[0] // 4, b.ctypes.data, b.strides[0] // 4, c.ctypes.data, n + 3)
    left, right = (a.T if ta else a).astype(np.float64), (b.T if tb else b).astype(np.float64)
    assert product(left, right).holds(c)
    assert np.count_nonzero(wide_c == 7) >= wide_c.size - c.size
    edge = wide_c.copy()
    edge[1:-1, 2:-1] = 7
    assert same_bits(edge, np.full_like(edge, 7))


def test_the_library_has_one_thread() -> None:
    assert blas.openblas.scipy_openblas_get_num_threads64_() == 1


@pytest.mark.parametrize("before", [None, "3"])
def test_the_environment_is_restored(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    if before is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)
    with blas._one_thread():
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before
