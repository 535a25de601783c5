"""Packing by itself: panels of every width, transposed blocks, and what must not be read."""

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
from bendtorch.kernels.microkernel import WIDTH
from bendtorch.kernels.vectors import LANES, SUPPORTED
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not (JIT and SUPPORTED), reason="this processor's products are OpenBLAS's")


def function(name: str, count: int) -> Any:
    """One of the functions that `blocking` calls."""
    assert name in blocking.NAMES
    prepare_kernels()
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)(llvm.address_of_symbol(name) or 0)


@pytest.mark.parametrize(("name", "whole"), [("bendtorch_pack_rows", LANES), ("bendtorch_pack_columns", WIDTH)])
@given(k=st.integers(1, 20), count=st.integers(1, 3 * WIDTH + 1), width=st.integers(1, LANES), seed=seeds)
def test_panels(name: str, whole: int, k: int, count: int, width: int, seed: int) -> None:
    """Panels of `width` columns; nothing is read behind the matrix, and nothing written behind a panel."""
    wide = np.full((k, count + 2 * WIDTH), np.nan, np.float32)
    x = wide[:, :count]
    x[...] = numbers(seed, k, count)
    panels = -(-count // width)
    out = np.full((panels, k * whole + LANES), np.nan, np.float32)
    function(name, 7)(x.ctypes.data, 4 * wide.shape[1], k, count, width, out.ctypes.data, 4 * out.shape[1])
    expected = np.zeros((k, panels * width), np.float32)
    expected[:, :count] = x
    for panel in range(panels):
        packed = out[panel, : k * whole].reshape(k, whole)
        assert same_bits(
            np.ascontiguousarray(packed[:, :width]),
            np.ascontiguousarray(expected[:, panel * width : (panel + 1) * width]),
        )
        assert not np.any(np.isnan(packed))
        assert np.all(np.isnan(out[panel, k * whole :]))


@given(rows=st.integers(1, 2 * LANES), depth=st.integers(1, 2 * LANES), seed=seeds)
def test_a_block_transposed(rows: int, depth: int, seed: int) -> None:
    x = numbers(seed, rows, depth)
    out = np.full((LANES, LANES + 3), np.nan, np.float32)
    function("bendtorch_turn", 6)(x.ctypes.data, 4 * depth, rows, depth, out.ctypes.data, 4 * (LANES + 3))
    tall, wide = min(rows, LANES), min(depth, LANES)
    assert same_bits(np.ascontiguousarray(out[:wide, :tall]), np.ascontiguousarray(x[:tall, :wide].T))
    assert np.all(out[wide:, :LANES] == 0)
    assert np.all(np.isnan(out[:, LANES:]))
