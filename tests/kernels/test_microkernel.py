"""The inner loops by themselves: tiles of every height and width, packing, transposing, and what they must not read."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import blocking
from bendtorch.kernels.cache import prepare_kernels
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.microkernel import HEIGHTS, LANES, ROWS, SUPPORTED, WIDTH
from tests.support.arrays import numbers, same_bits
from tests.support.references import product
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not (JIT and SUPPORTED), reason="this processor's products are OpenBLAS's")


def function(name: str, count: int) -> Any:
    """One of the functions that `blocking` calls."""
    assert name in blocking.NAMES
    prepare_kernels()
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)(llvm.address_of_symbol(name) or 0)


@given(rows=st.sampled_from(HEIGHTS), width=st.integers(1, WIDTH), k=st.integers(1, 40), add=st.booleans(), seed=seeds)
def test_a_tile(rows: int, width: int, k: int, add: bool, seed: int) -> None:
    a, b = numbers(seed, k, rows), np.full((k, WIDTH), np.nan, np.float32)
    b[:, :width] = numbers(seed + 1, k, width)
    c = np.full((rows + 1, WIDTH + 5), np.nan, np.float32)
    start = numbers(seed + 2, rows, width) if add else np.zeros((rows, width), np.float32)
    c[:rows, :width] = start if add else np.nan
    step = 4 * c.shape[1]
    later = numbers(seed + 3, 2, k)
    function("bendtorch_tile", 13)(
        *(rows, k, a.ctypes.data, 4 * rows, b.ctypes.data, 4 * WIDTH, c.ctypes.data, step, width, int(add)),
        *(later.ctypes.data, 4 * k, 4),
    )
    exact = product(a.T.astype("f8"), b[:, :width].astype("f8"))
    assert np.all(np.abs(c[:rows, :width] - start - exact.value) <= exact.bound + 2.0**-22 * np.abs(start))
    assert np.count_nonzero(np.isnan(c)) == c.size - rows * width


@pytest.mark.parametrize(("name", "width"), [("bendtorch_pack_rows", ROWS), ("bendtorch_pack_columns", WIDTH)])
@given(k=st.integers(1, 20), count=st.integers(1, 3 * WIDTH + 1), seed=seeds)
def test_packing(name: str, width: int, k: int, count: int, seed: int) -> None:
    x = numbers(seed, k, count)
    panels = -(-count // width)
    size = k * width + LANES
    out = np.full((panels, size), np.nan, np.float32)
    function(name, 6)(x.ctypes.data, 4 * count, k, count, out.ctypes.data, 4 * size)
    expected = np.zeros((k, panels * width), np.float32)
    expected[:, :count] = x
    for panel in range(panels):
        packed = out[panel, : k * width].reshape(k, width)
        assert same_bits(packed, np.ascontiguousarray(expected[:, panel * width : (panel + 1) * width]))


@given(rows=st.integers(1, 2 * LANES), depth=st.integers(1, 2 * LANES), seed=seeds)
def test_a_block_transposed(rows: int, depth: int, seed: int) -> None:
    x = numbers(seed, rows, depth)
    out = np.full((LANES, LANES + 3), np.nan, np.float32)
    function("bendtorch_turn", 6)(x.ctypes.data, 4 * depth, rows, depth, out.ctypes.data, 4 * (LANES + 3))
    tall, wide = min(rows, LANES), min(depth, LANES)
    assert same_bits(np.ascontiguousarray(out[:wide, :tall]), np.ascontiguousarray(x[:tall, :wide].T))
    assert np.all(out[wide:, :LANES] == 0)
    assert np.all(np.isnan(out[:, LANES:]))
