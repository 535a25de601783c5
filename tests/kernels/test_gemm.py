"""Products of our own: blocks inside of larger arrays, every edge of a tile, what must not touch a result."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels import gemm
from bendtorch.kernels.cache import prepare_kernels
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.microkernel import ROWS, WIDTH
from bendtorch.kernels.vectors import SUPPORTED
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.process import ROOT, environment
from tests.support.references import product
from tests.support.sizes import seeds, shrunk, widths

GEMM, GEMM_ADD = gemm.gemm, gemm.gemm_add
FIRST_COUNT: Final = "from bendtorch.kernels import gemm, parallel; parallel.chunks_of(5, 2)"
FIRST_LAYER: Final = "from bendtorch import Key, Linear; Linear(1, 2, 3).init(Key(0))"


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


OWN: Any = gemm.multiply
own_code = pytest.mark.skipif(not (JIT and SUPPORTED), reason="this processor's products are OpenBLAS's")
heights = st.sampled_from([1, 3, ROWS - 1, ROWS, ROWS + 1, 4 * ROWS, 4 * ROWS + 1, 8 * ROWS, 8 * ROWS + 5])
breadths = st.sampled_from([1, WIDTH // 2, WIDTH // 2 + 1, WIDTH, WIDTH + 1, 64, 65, 511, 512, 513, 600])
depths = st.sampled_from([1, 2, 15, 17, 255, 256, 257, 513])


def own(ta: bool, tb: bool, a: Any, b: Any, add: Any = None, run: int = 256) -> Any:
    """op(a)·op(b), added to `add` if it is given. The operands stand in the middle of NaN."""
    m, k = a.shape[::-1] if ta else a.shape
    n = b.shape[0] if tb else b.shape[1]
    left, right = surrounded(a), surrounded(b)
    out = surrounded(np.full((m, n), np.nan, np.float32) if add is None else add)
    places = [x[1:-1, 3:-2].ctypes.data for x in (left, right, out)]
    strides = [x.shape[1] for x in (left, right, out)]
    numbers_of = [number for pair in zip(places, strides, strict=True) for number in pair]
    OWN(run, add is not None, ta, tb, m, n, k, *numbers_of)
    result = out[1:-1, 3:-2].copy()
    out[1:-1, 3:-2] = np.nan
    assert np.all(np.isnan(out))
    return result


def surrounded(x: Any) -> Any:
    wide = np.full((x.shape[0] + 2, x.shape[1] + 5), np.nan, np.float32)
    wide[1:-1, 3:-2] = x
    return wide


def operands(ta: bool, tb: bool, m: int, n: int, k: int, seed: int) -> tuple[Any, Any]:
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    return np.ascontiguousarray(a.T) if ta else a, np.ascontiguousarray(b.T) if tb else b


def one_by_one(a: Any, b: Any, run: int) -> Any:
    """The same sums in the same order, in float64 rounded to float32 after each step: what a row of fma does."""
    k = a.shape[1]
    runs, out = -(-k // run), None
    for i in range(runs):
        total = np.zeros((a.shape[0], b.shape[1]), np.float32)
        for p in range(i * k // runs, (i + 1) * k // runs):
            total = (np.outer(a[:, p].astype("f8"), b[p].astype("f8")) + total).astype(np.float32)
        out = total if out is None else out + total
    return out


@own_code
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@settings(max_examples=40)
@given(m=heights, n=breadths, k=depths, seed=seeds)
def test_every_edge(ta: bool, tb: bool, m: int, n: int, k: int, seed: int) -> None:
    a, b = operands(ta, tb, m, n, k, seed)
    exact = product((a.T if ta else a).astype("f8"), (b.T if tb else b).astype("f8"))
    assert exact.holds(own(ta, tb, a, b))


@own_code
@settings(max_examples=10)
@given(m=heights, n=breadths, k=depths, seed=seeds)
def test_the_order_of_sums(m: int, n: int, k: int, seed: int) -> None:
    """Whole numbers and one fraction each: every step is exact in float64, so it is rounded once, as fma is."""
    a, b = np.round(8 * numbers(seed, m, k)) / 8, np.round(numbers(seed + 1, k, n) * 64) / 64
    a, b = a.astype(np.float32), b.astype(np.float32)
    assert same_bits(own(False, False, a, b, run=100), one_by_one(a, b, 100))


@own_code
@settings(max_examples=15)
@given(m=heights, n=breadths, k=depths, seed=seeds, data=st.data())
def test_bits_are_those_of_a_row_and_a_column(m: int, n: int, k: int, seed: int, data: st.DataObject) -> None:
    """However operands are stored and whatever lies beside them."""
    a, b = operands(False, False, m, n, k, seed)
    whole = own(False, False, a, b)
    for ta in (False, True):
        for tb in (False, True):
            assert same_bits(own(ta, tb, *operands(ta, tb, m, n, k, seed)), whole)
    low, left = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
    high, right = data.draw(st.integers(low + 1, m)), data.draw(st.integers(left + 1, n))
    assert same_bits(own(False, False, a[low:high], b[:, left:right]), whole[low:high, left:right])


@own_code
@settings(max_examples=15)
@given(m=heights, n=breadths, k=depths, seed=seeds)
def test_a_product_is_added_whole(m: int, n: int, k: int, seed: int) -> None:
    """However many runs it has: as if it were computed apart."""
    a, b, start = *operands(False, False, m, n, k, seed), numbers(seed + 2, m, n)
    assert same_bits(own(False, False, a, b, add=start, run=100), start + own(False, False, a, b, run=100))


@given(m=st.integers(1, 6), n=st.sampled_from([3, 64, 600]), k=st.sampled_from([1, 40, 600]), seed=seeds)
@settings(max_examples=20)
def test_a_few_rows_are_added_whole(m: int, n: int, k: int, seed: int) -> None:
    """By OpenBLAS, too, and in shorter runs; with the JIT off."""
    a, b, start = numbers(seed, m, k), numbers(seed + 1, k, n), numbers(seed + 2, m, n)
    apart, added = np.empty((m, n), np.float32), start.copy()
    call(False, False, m, n, k, a.ctypes.data, k, b.ctypes.data, n, apart.ctypes.data, n)
    call_add(False, False, m, n, k, a.ctypes.data, k, b.ctypes.data, n, added.ctypes.data, n)
    assert same_bits(added, start + apart)


@own_code
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@given(m=heights, n=breadths, seed=seeds)
@settings(max_examples=10)
def test_what_is_not_finite_stays_in_its_row_or_column(
    ta: bool, tb: bool, bad: float, m: int, n: int, seed: int
) -> None:
    k, i, j = 33, seed % m, seed % n
    a, b = operands(ta, tb, m, n, k, seed)
    clean = own(ta, tb, a, b)
    (a.T if ta else a)[i, seed % k] = bad
    (b.T if tb else b)[seed % 7, j] = bad
    result = own(ta, tb, a, b)
    touched = np.zeros((m, n), np.bool_)
    touched[i], touched[:, j] = True, True
    assert not np.any(np.isfinite(result[touched]))
    assert same_bits(result[~touched], clean[~touched])


@own_code
def test_openblas_takes_the_place_of_what_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise AttributeError("no such thing in this numba")

    prepare_kernels()
    monkeypatch.setattr(gemm, "PRODUCT", "test_product_of_openblas")
    monkeypatch.setattr(gemm, "provide", fails)
    with pytest.warns(RuntimeWarning, match="products are left to OpenBLAS .*no such thing"):
        gemm.make_known()
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 14)(llvm.address_of_symbol(gemm.PRODUCT) or 0)
    a, b, c = numbers(1, 70, 300), numbers(2, 300, 40), np.empty((70, 40), np.float32)
    function(256, 0, 0, 0, 70, 40, 300, a.ctypes.data, 300, b.ctypes.data, 40, c.ctypes.data, 40, 0)
    assert product(a.astype("f8"), b.astype("f8")).holds(c)


@own_code
@pytest.mark.parametrize("first", [FIRST_COUNT, FIRST_LAYER])
def test_whatever_kernel_comes_first(first: str, tmp_path: Path) -> None:
    """One that products call, too, is not being compiled while products are."""
    subprocess.run(
        [sys.executable, "-W", "error", "-c", first],
        env=environment(BENDTORCH_CACHE_DIR=str(tmp_path)),
        cwd=ROOT,
        check=True,
    )
