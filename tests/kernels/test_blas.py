"""OpenBLAS from inside of kernels: a library with one thread."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.kernels import blas
from tests.support.arrays import numbers
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds, shrunk, widths

IN_RUNS = blas.blas_in_runs


@compiled
def call(add: bool, ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int) -> None:
    IN_RUNS(100, add, ta, tb, m, n, k, a, lda, b, ldb, c, n)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("k", [0, 1, 5, shrunk(600, 7)])
@given(m=widths, n=widths, seed=seeds)
def test_products_in_runs(add: bool, ta: bool, tb: bool, k: int, m: int, n: int, seed: int) -> None:
    a, b = numbers(seed, *((k, m) if ta else (m, k))), numbers(seed + 1, *((n, k) if tb else (k, n)))
    c = numbers(seed + 2, m, n) if add else np.full((m, n), np.nan, np.float32)
    exact, before = product((a.T if ta else a).astype("f8"), (b.T if tb else b).astype("f8"), more=4), c.astype("f8")
    call(add, ta, tb, m, n, k, a.ctypes.data, a.shape[1], b.ctypes.data, b.shape[1], c.ctypes.data)
    rounding: Any = 2.0**-21 * np.abs(before) if add else 0.0
    assert np.all(np.abs(c - (before if add else 0.0) - exact.value) <= exact.bound + rounding)


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
