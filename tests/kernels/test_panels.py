"""Panels: parts of matrices by address; transposition, finite parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import panels
from bendtorch.kernels.lanes import LANES
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.kernels import compiled
from tests.support.sizes import rows, seeds, widths

PANEL, PART, ROW_OF = panels.panel, panels.part, panels.row_of
CLEAR, TRANSPOSE = panels.clear, panels.transpose
FINITE_PART, ADD_OTHER_PART, ADD_INTO = panels.finite_part, panels.add_other_part, panels.add_into


@compiled
def clear_inside(x: Any, row: int, column: int, height: int, width: int) -> None:
    CLEAR(PART(PANEL(x), row, column), height, width)


@compiled
def transpose_inside(x: Any, row: int, column: int, height: int, width: int, out: Any) -> None:
    TRANSPOSE(PART(PANEL(x), row, column), height, width, PART(PANEL(out), 1, 2))


@compiled
def finite_inside(x: Any, row: int, column: int, height: int, width: int, out: Any) -> bool:
    return FINITE_PART(PART(PANEL(x), row, column), height, width, PANEL(out))


@compiled
def add_rows(weight: Any, x: Any, out: Any) -> None:
    for r in range(x.shape[0]):
        ADD_OTHER_PART(weight, ROW_OF(PANEL(x), r, x.shape[1]), ROW_OF(PANEL(out), r, x.shape[1]))


@compiled
def add_row(x: Any, out: Any) -> None:
    ADD_INTO(x, out)


@given(width=widths, seed=seeds)
def test_a_row_is_added(width: int, seed: int) -> None:
    x, out = numbers(seed, width), numbers(seed + 1, width)
    expected = out + x
    add_row(x, out)
    assert same_bits(out, expected)


@given(height=rows, width=widths, seed=seeds)
def test_a_part_is_cleared_and_nothing_else(height: int, width: int, seed: int) -> None:
    x = numbers(seed, height + 2, width + 3)
    expected = x.copy()
    expected[1 : 1 + height, 2 : 2 + width] = 0
    clear_inside(x, 1, 2, height, width)
    assert same_bits(x, expected)


@given(height=rows, width=widths, seed=seeds)
def test_a_part_is_transposed_into_a_part(height: int, width: int, seed: int) -> None:
    x, out = numbers(seed, height + 1, width + 2), numbers(seed + 1, width + 2, height + 5)
    expected = out.copy()
    expected[1 : 1 + width, 2 : 2 + height] = x[1:, 1:-1].T
    transpose_inside(x, 1, 1, height, width, out)
    assert same_bits(out, expected)


def roomy(width: int) -> int:
    """Whole vectors."""
    return -(-width // LANES) * LANES


@given(height=rows, width=widths, seed=seeds)
def test_finite_parts(height: int, width: int, seed: int) -> None:
    """Zeros for NaN of either sign and infinities; all else, signed zeros and subnormals too, as it was.

    Zeros, too, behind each row up to whole vectors; nothing beyond.
    """
    x = special_numbers(seed, height + 1, width + 1)
    x[x > 1] *= np.float32(-1)
    inside, out = x[1:, 1:], np.full((height + 1, roomy(width) + 1), 7, np.float32)
    with np.errstate(all="ignore"):
        assert finite_inside(x, 1, 1, height, width, out) == bool(np.isfinite(inside).all())
    assert same_bits(out[:-1, :width], np.where(np.isfinite(inside), inside, np.float32(0)))
    assert not out[:-1, width:-1].any()
    assert np.all(out[-1] == 7)
    assert np.all(out[:, -1] == 7)


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf])
@given(width=widths, place=st.integers(0, 66))
def test_one_wrong_number_is_found_anywhere(value: float, width: int, place: int) -> None:
    x = np.full((2, width), np.finfo(np.float32).max, np.float32)
    out = np.empty((2, roomy(width)), np.float32)
    assert finite_inside(x, 0, 0, 2, width, out)
    x[place % 2, place % width] = value
    with np.errstate(all="ignore"):
        assert not finite_inside(x, 0, 0, 2, width, out)


@given(height=rows, width=widths, seed=seeds)
def test_the_other_part_is_added_alone(height: int, width: int, seed: int) -> None:
    """Where x is finite, the target keeps its bits, -0 among them."""
    x, out = special_numbers(seed, height, width), np.full((height, width), -0.0, np.float32)
    with np.errstate(all="ignore"):
        expected = np.where(np.isfinite(x), out, out + np.float32(0.5) * x)
        add_rows(np.float32(0.5), x, out)
    assert np.array_equal(np.isnan(out), np.isnan(expected))
    assert same_bits(np.nan_to_num(out), np.nan_to_num(expected))
