"""What row-wise kernels share: the maximum of a row, sums in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.rows import (
    BLOCK,
    PIECE,
    exp_row,
    exponentials,
    exponentials_ahead,
    log_total,
    row_max,
    wide_sum,
)
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.sizes import seeds, shrunk

ROW_MAX: Any = row_max
EXP_ROW: Any = exp_row
LOG_TOTAL: Any = log_total
WIDE_SUM: Any = wide_sum
floats = st.floats(width=32, allow_nan=False)


@given(values=st.lists(floats, min_size=1, max_size=80))
def test_the_largest_number(values: list[float]) -> None:
    assert ROW_MAX(np.array(values, np.float32)) == np.float32(max(values))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("size", [1, 2, 17, 64])
def test_a_nan_is_above_everything(size: int, sign: float) -> None:
    for place in range(0, size, 5):
        row = np.full(size, np.inf, np.float32)
        row[place] = np.copysign(np.float32(np.nan), np.float32(sign))
        assert np.isnan(ROW_MAX(row))


@pytest.mark.parametrize("size", [1, 7, *(shrunk(s, s % 50) for s in (BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3))])
@given(seed=seeds)
def test_sums_in_blocks(size: int, seed: int) -> None:
    x = numbers(seed, size, scale=3.0)
    m = x.max()
    e = np.empty_like(x)
    exact = np.exp(x.astype(np.float64) - np.float64(m))
    ones, rest = EXP_ROW(x, m, e)
    assert np.all(np.abs(e - exact) <= (np.abs(x.astype(np.float64) - m) + 2) * 2.0**-24 * exact)
    assert ones == np.count_nonzero(e == 1)
    others = e[e < 1].astype(np.float64).sum()
    assert abs(rest - others) <= min(size, BLOCK) * 2.0**-24 * others


@given(values=st.lists(st.integers(-(2**30), 2**30), max_size=70))
def test_wide_sums_of_whole_numbers_are_exact(values: list[int]) -> None:
    x = np.array(values, np.float32)
    assert WIDE_SUM(x) == x.astype(np.float64).sum()


def test_what_is_small_beside_the_largest_counts() -> None:
    """The loss of a sure answer is the sum of the others' small chances."""
    e = np.empty(3, np.float32)
    ones, rest = EXP_ROW(np.array([0.0, -20.0, -21.0], np.float32), np.float32(0), e)
    exact = np.log1p(np.exp(-20.0) + np.exp(-21.0))
    assert LOG_TOTAL(ones, rest) == pytest.approx(exact, rel=1e-6)


def test_ones_beyond_the_whole_numbers_of_float32_are_counted() -> None:
    """A running float32 sum of ones stops at 2^24."""
    size = shrunk(2**24 + 3 * BLOCK, 2000)
    assert EXP_ROW(np.zeros(size, np.float32), np.float32(0), np.empty(size, np.float32)) == (size, 0.0)


@pytest.mark.parametrize("size", [8, 12, 16, 17, 24, 31, 33, 64])
def test_bits_do_not_depend_on_where_the_arrays_lie(size: int) -> None:
    """Not on how far the results lie from the logits.

    Compiled loops that read one array and write another check at run time whether the two overlap, and may sum in
    another order where they only lie close together.
    """
    row = numbers(size, size, scale=3.0)
    results = set()
    for first in (0, 1):
        for gap in range(shrunk(40, 3)):
            buffer = np.zeros(2 * size + 40, np.float32)
            halves = (buffer[:size], buffer[size + gap : 2 * size + gap])
            x, e = halves[first], halves[1 - first]
            x[...] = row
            results.add((EXP_ROW(x, row.max(), e), e.tobytes()))
    assert len(results) == 1


@compiled
def both_ways(x: Any, m: Any, e: Any, ahead: Any) -> None:
    """The exponentials of a block, without and with the next one brought near."""
    exponentials(x, m, e)
    exponentials_ahead(x, m, ahead, x.ctypes.data, ahead.ctypes.data)


@pytest.mark.parametrize("size", [1, PIECE - 1, PIECE, PIECE + 1, BLOCK])
def test_a_block_brings_the_next_one_near_and_changes_nothing(size: int) -> None:
    x = numbers(5, size)
    e, ahead = np.full_like(x, np.nan), np.full_like(x, np.nan)
    both_ways(x, x.max(), e, ahead)
    assert same_bits(e, ahead)
    assert np.all(e > 0)
