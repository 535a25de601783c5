"""The exponentials of rows: short rows in panels and long ones in blocks give the same as each row alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.exp_rows import PANEL, SHORT, exp_panel, rows_of_panel
from bendtorch.kernels.rows import LONG, wide_sum
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk, some_rows, widths

EXP_PANEL: Any = exp_panel
WIDE_SUM: Any = wide_sum


def panel(x: Any) -> tuple[Any, Any, Any]:
    """The exponentials, the largest numbers and the sums of the rows of x."""
    e, tops, totals = np.empty_like(x), np.empty(len(x), np.float32), np.empty(len(x), np.float64)
    with np.errstate(all="ignore"):
        EXP_PANEL(x, e, tops, totals)
    return e, tops, totals


@given(
    n=some_rows,
    c=st.one_of(widths, st.sampled_from([shrunk(SHORT, 7), shrunk(SHORT + 1, 9), shrunk(LONG + 1, 11)])),
    seed=seeds,
)
def test_against_float64(n: int, c: int, seed: int) -> None:
    x = numbers(seed, n, c, scale=4.0)
    e, tops, totals = panel(x)
    assert same_bits(tops, x.max(axis=1))
    depth = tops[:, None].astype(np.float64) - x
    exact = np.exp(-depth)
    assert np.all(np.abs(e - exact) <= (depth + 2) * 2.0**-24 * exact)
    assert totals == pytest.approx(e.sum(axis=1, dtype=np.float64), rel=1e-13)


@pytest.mark.parametrize("c", [1, 10, 31, 100])
def test_a_row_does_not_see_the_others_of_its_panel(c: int) -> None:
    x = numbers(c, 5, c)
    alone = panel(x[2:3].copy())
    x[1], x[3] = np.nan, -np.inf
    e, tops, totals = panel(x)
    assert same_bits(e[2], alone[0][0])
    assert (tops[2], totals[2]) == (alone[1][0], alone[2][0])
    assert np.all(np.isnan(e[[1, 3]]))
    assert tops[3] == -np.inf


def test_panels_hold_short_rows_only() -> None:
    assert [rows_of_panel(c) for c in (1, 10, SHORT, SHORT + 1, 10**6)] == [PANEL, PANEL // 10, PANEL // SHORT, 1, 1]


def test_sums_keep_what_is_small_beside_the_largest() -> None:
    """A float32 sum of 1 and 1e-9 is 1."""
    x = np.array([[0, -20, -21]], np.float32)
    assert panel(x)[2][0] - 1 == pytest.approx(np.exp(-20.0) + np.exp(-21.0), rel=1e-6)


def test_many_equal_numbers_are_counted() -> None:
    """A running float32 sum of ones stops at 2^24."""
    size = shrunk(2**24 + 3, 2000)
    assert WIDE_SUM(np.ones(size, np.float32)) == size
