"""Sums of blocks: any block of rows of any length, in float64."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.block_sums import add_columns, add_parts, add_rows
from tests.support.arrays import numbers


@given(width=st.integers(1, 20), low=st.integers(0, 60), size=st.integers(0, 70))
def test_a_block_is_added(width: int, low: int, size: int) -> None:
    x = numbers(low, size) * np.float32(1e4)
    places = np.arange(low, low + size)
    rows, columns = np.ones(130), np.ones(width)
    add_rows(x, low, width, rows)
    add_columns(x, low, width, columns)
    for found, chosen in ((rows, places // width), (columns, places % width)):
        expected = np.ones(found.size)
        np.add.at(expected, chosen, x.astype(np.float64))
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-9)


@given(outer=st.integers(1, 3), parts=st.integers(1, 4), inner=st.integers(1, 9))
def test_parts_are_added_in_their_order(outer: int, parts: int, inner: int) -> None:
    totals = numbers(inner, outer, parts, inner).astype(np.float64)
    expected = totals[:, 0].copy()
    for part in range(1, parts):
        expected += totals[:, part]
    out = np.zeros((outer, inner), np.float32)
    add_parts(totals.ravel(), outer, parts, inner, out.ravel())
    assert np.array_equal(out, expected.astype(np.float32))
