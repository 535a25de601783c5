"""The inner loop by itself: strips of every height and width, however operands lie, and what they must not touch."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels.cache import prepare_kernels
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.microkernel import AT_ONCE, NEAR, PARAMETERS, PLACES, ROWS, WIDTH
from bendtorch.kernels.vectors import LANES, SUPPORTED
from tests.support.arrays import numbers, same_bits
from tests.support.references import product
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not (JIT and SUPPORTED), reason="this processor's products are OpenBLAS's")


def strip(*arguments: int) -> None:
    prepare_kernels()
    address = llvm.address_of_symbol("bendtorch_strip") or 0
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * PARAMETERS)(address)(*arguments)


def laid_out(x: Any, layout: str) -> tuple[Any, int, int]:
    """A strip of a: as rows that lie among NaN, turned among NaN, or packed; where it is, and its steps in bytes."""
    rows, k = x.shape
    if layout == "rows":
        wide = np.full((rows, k + 3), np.nan, np.float32)
        wide[:, :k] = x
        return wide, 4 * (k + 3), 4
    wide = np.full((k, LANES if layout == "packed" else rows + 21), np.nan, np.float32)
    wide[:, :rows] = x.T
    return wide, 4, 4 * wide.shape[1]


def panels_of(b: Any) -> Any:
    """b in panels, NaN where it has no more columns."""
    k, n = b.shape
    panels = np.full((-(-n // WIDTH), k, WIDTH), np.nan, np.float32)
    for j in range(n):
        panels[j // WIDTH, :, j % WIDTH] = b[:, j]
    return panels


@pytest.mark.parametrize("layout", ["rows", "turned", "packed"])
@settings(max_examples=60)
@given(
    rows=st.integers(1, ROWS),
    n=st.integers(1, 3 * WIDTH),
    k=st.integers(1, 40),
    add=st.integers(0, 2),
    seed=seeds,
)
def test_a_strip(layout: str, rows: int, n: int, k: int, add: int, seed: int) -> None:
    a, b = numbers(seed, rows, k), numbers(seed + 1, k, n)
    c = np.full((rows + 1, n + 5), np.nan, np.float32)
    start = numbers(seed + 2, rows, n) if add else np.zeros((rows, n), np.float32)
    before = numbers(seed + 4, rows, n + 2) if add == 2 else np.zeros((rows, n + 2), np.float32)
    c[:rows, :n] = start if add else np.nan
    left, row, step = laid_out(a, layout)
    right, later = panels_of(b), numbers(seed + 3, 4, 64)
    strip(
        *(rows, n, k, left.ctypes.data, row, step, right.ctypes.data, 4 * WIDTH, 4 * WIDTH * k),
        *(
            c.ctypes.data,
            4 * c.shape[1],
            add,
            before.ctypes.data,
            4 * (n + 2),
            later.ctypes.data,
            NEAR,
            NEAR,
            256 - NEAR,
        ),
    )
    exact = product(a.astype("f8"), b.astype("f8"))
    more = start.astype("f8") + before[:, :n]
    slack = 2.0**-22 * (np.abs(start) + np.abs(before[:, :n]))
    assert np.all(np.abs(c[:rows, :n] - more - exact.value) <= exact.bound + slack)
    assert np.count_nonzero(np.isnan(c)) == c.size - rows * n


@given(rows=st.integers(1, ROWS), k=st.integers(1, 6 * AT_ONCE), seed=seeds)
def test_bits_do_not_depend_on_the_layout(rows: int, k: int, seed: int) -> None:
    a, b = numbers(seed, rows, k), numbers(seed + 1, k, WIDTH)
    results = []
    for layout in ("rows", "turned", "packed"):
        left, row, step = laid_out(a, layout)
        c = np.empty((rows, WIDTH), np.float32)
        right = b.ctypes.data
        strip(
            *(rows, WIDTH, k, left.ctypes.data, row, step, right, 4 * WIDTH, 0),
            *(c.ctypes.data, 4 * WIDTH, 0, 0, 0, right, NEAR, NEAR, -NEAR),
        )
        results.append(c)
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


def test_every_row_has_its_place() -> None:
    assert [base + times * scale for base, times, scale in PLACES] == list(range(14))
    assert len(PLACES) >= ROWS
    assert {scale for _, _, scale in PLACES} <= {0, 1, 2, 4, 8}, "more than an address can hold"
