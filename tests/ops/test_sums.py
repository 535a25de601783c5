"""Sums and maxima of rows and columns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch import ops
from bendtorch.errors import ShapeError
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.ops import Op, alike, check_ops
from tests.support.references import UNIT, Bounded, column_sums
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count


def _row_sums(x: Any) -> Bounded:
    """Blocks of at most 256 numbers in float32, their totals in float64, one rounding at the end."""
    total, size = x.sum(axis=1, keepdims=True), np.abs(x).sum(axis=1, keepdims=True)
    return Bounded(total, UNIT * np.abs(total) + min(x.shape[1], 256) * UNIT * size)


def _row_maxima(x: Any) -> Any:
    return x.max(axis=1, keepdims=True) + 0.0


def _maxima_of_rows(x: Any) -> Any:
    """Of zeros of both signs either is the largest: here the zero is +0."""
    return ops.row_maxima(x) + np.float32(0)


OPS: Final = (
    Op("row_sums", ops.row_sums, "x", alike(1), _row_sums, exact=False),
    Op("column_sums", ops.column_sums, "x", alike(1), column_sums, exact=False),
    Op("row_maxima", _maxima_of_rows, "x", alike(1), _row_maxima),
)

test_op = check_ops(OPS)


@given(n=rows, c=widths, seed=seeds)
def test_whole_numbers_are_summed_exactly(n: int, c: int, seed: int) -> None:
    x: Any = np.random.default_rng(seed).integers(-1000, 1000, (n, c)).astype(np.float32)
    assert same_bits(ops.row_sums(x), x.sum(axis=1, keepdims=True, dtype=np.float64).astype(np.float32))
    assert same_bits(ops.column_sums(x), x.sum(axis=0, keepdims=True, dtype=np.float64).astype(np.float32))


def test_a_small_number_between_large_ones_is_not_lost() -> None:
    x = np.zeros((2, 1200), np.float32)
    x[:, 0], x[:, 500], x[:, 1100] = 1e8, 1, -1e8
    assert ops.row_sums(x).tolist() == [[1.0], [1.0]]
    assert ops.column_sums(np.ascontiguousarray(x.T)).tolist() == [[1.0, 1.0]]


def test_a_long_row_of_small_numbers() -> None:
    """A running float32 sum of a million tenths is 1 % off."""
    size = shrunk(1_000_003, 1003)
    x = np.full((1, size), 0.1, np.float32)
    exact = float(np.float64(np.float32(0.1)) * size)
    for result in at_every_count(lambda: ops.row_sums(x)):
        assert abs(result[0, 0] - exact) <= 256 * UNIT * exact
    for result in at_every_count(lambda: ops.column_sums(x.T.copy())):
        assert abs(result[0, 0] - exact) <= UNIT * exact


def test_infinities_and_nan() -> None:
    x = np.array([[np.inf, 1], [np.inf, -np.inf], [np.nan, 1], [-np.inf, 1]], np.float32)
    with np.errstate(invalid="ignore"):  # with the JIT off
        sums, nan = ops.row_sums(x)[:, 0], np.isnan
    assert sums[0] == np.inf
    assert nan(sums[1])
    assert nan(sums[2])
    assert sums[3] == -np.inf
    assert nan(ops.column_sums(x)).tolist() == [[True, False]]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("place", [0, 7, 40])
def test_the_maximum_of_a_row_with_nan_is_nan(sign: int, place: int) -> None:
    """Whatever the sign of the NaN; and only of that row."""
    x = numbers(0, 3, 41)
    x[1, place] = np.copysign(np.float32(np.nan), sign)
    found = ops.row_maxima(x)
    assert np.isnan(found[:, 0]).tolist() == [False, True, False]


def test_maxima_of_edge_values() -> None:
    x = np.array([[-np.inf, -np.inf], [np.inf, 1], [-1e-45, -1], [-3e38, -np.inf]], np.float32)
    assert same_bits(ops.row_maxima(x), x.max(axis=1, keepdims=True))


@given(n=rows, c=widths, seed=seeds)
def test_maxima_of_any_number(n: int, c: int, seed: int) -> None:
    x = special_numbers(seed, n, c)
    assert np.array_equal(ops.row_maxima(x), x.max(axis=1, keepdims=True), equal_nan=True)


def test_no_rows_and_no_columns() -> None:
    none, wide, tall = numbers(0, 0, 0), numbers(0, 0, 3), numbers(0, 3, 0)
    for x in (none, wide, tall):
        assert same_bits(ops.row_sums(x), np.zeros((x.shape[0], 1), np.float32))
        assert same_bits(ops.column_sums(x), np.zeros((1, x.shape[1]), np.float32))
    assert ops.row_maxima(wide).shape == ops.row_maxima(none).shape == (0, 1)
    with pytest.raises(ShapeError, match=r"^row_maxima: x must have columns, got Mat\[3, 0\]; no number is the large"):
        ops.row_maxima(tall)
