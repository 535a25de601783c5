"""Softmax: the checks of every layer, and the edge values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.layers import Softmax
from tests.support import row_references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import shrunk

test_softmax = check_layer(Softmax, 1, row_references.SOFTMAX)

SOFTMAX: Any = Softmax


def quiet(layer: Any, x: Any) -> Any:
    """The forward pass, without numpy's warnings of NaN and overflow that come with the JIT off."""
    with np.errstate(all="ignore"):
        return layer.fwd((), x)


def test_a_row_of_minus_infinity_is_zeros_with_zero_gradient() -> None:
    x = np.array([[-np.inf] * 3, [0, 1, 2], [-np.inf, 5, -np.inf]], np.float32)
    layer = SOFTMAX(3, 3)
    forward = quiet(layer, x)
    assert forward.y[0].tolist() == [0, 0, 0]
    assert forward.y[2].tolist() == [0, 1, 0]
    dx = layer.bwd((), forward.s, numbers(1, 3, 3), ()).dx
    assert not dx[0].any()
    assert not dx[2].any()


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf])
@pytest.mark.parametrize("width", [1, 2, 17, shrunk(600, 33)])
def test_nan_and_infinity_anywhere_give_nan(width: int, bad: float) -> None:
    """As in PyTorch, also among -inf; and the rows beside it do not see it."""
    for rest in (-np.inf, 1.0):
        for place in range(0, width, 1 + width // 5):
            x = np.full((3, width), rest, np.float32)
            x[1, place] = np.copysign(np.float32(bad), np.float32(bad))
            y = quiet(SOFTMAX(3, width), x).y
            assert np.all(np.isnan(y[1]))
            assert np.all(np.isfinite(y[[0, 2]]))


def test_large_numbers_do_not_overflow() -> None:
    y = quiet(SOFTMAX(2, 3), np.array([[3e38, 3e38, -3e38], [1000, 999, -1e30]], np.float32)).y
    assert y[0].tolist() == [0.5, 0.5, 0]
    assert y[1] == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0], rel=1e-6)


@pytest.mark.parametrize(("n", "c"), [(2, shrunk(200_000, 400)), (shrunk(5000, 20), 10), (shrunk(300, 5), 513)])
def test_long_rows_and_many_rows(n: int, c: int) -> None:
    x, dy = numbers(3, n, c, scale=3.0), numbers(4, n, c)
    layer = SOFTMAX(n, c)
    forward = layer.fwd((), x)
    wide, wide_dy = x.astype(np.float64), dy.astype(np.float64)
    assert row_references.SOFTMAX.forward((), wide).holds(forward.y)
    assert row_references.SOFTMAX.backward((), wide, wide_dy).dx.holds(layer.bwd((), forward.s, dy, ()).dx)


def test_probabilities_below_the_normal_range_are_kept() -> None:
    x = np.array([[0, -90, -103, -104, -200]], np.float32)
    exact = np.exp(x.astype(np.float64)) / np.exp(x.astype(np.float64)).sum()
    assert np.all(np.abs(SOFTMAX(1, 5).fwd((), x).y - exact) <= 2.0**-149)


def test_the_largest_number_is_taken_exactly() -> None:
    y = SOFTMAX(1, 4).fwd((), np.full((1, 4), 7, np.float32)).y
    assert same_bits(y, np.full((1, 4), 0.25, np.float32))
