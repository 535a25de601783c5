"""LogSoftmax: the checks of every layer, and the edge values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.layers import LogSoftmax
from tests.support import row_references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import shrunk

test_log_softmax = check_layer(LogSoftmax, 1, row_references.LOG_SOFTMAX)

LOG_SOFTMAX: Any = LogSoftmax


def quiet(layer: Any, x: Any) -> Any:
    """The forward pass, without numpy's warnings of NaN and overflow that come with the JIT off."""
    with np.errstate(all="ignore"):
        return layer.fwd((), x)


def test_a_row_of_minus_infinity_stays_with_zero_gradient() -> None:
    x = np.array([[-np.inf] * 3, [0, 1, 2], [-np.inf, 5, -np.inf]], np.float32)
    layer = LOG_SOFTMAX(3, 3)
    forward = quiet(layer, x)
    assert forward.y[0].tolist() == [-np.inf] * 3
    assert forward.y[2].tolist() == [-np.inf, 0, -np.inf]
    dy = numbers(1, 3, 3)
    dx = layer.bwd((), forward.s, dy, ()).dx
    assert same_bits(dx[0], np.zeros(3, np.float32))
    assert dx[2] == pytest.approx(dy[2] - dy[2].sum() * np.array([0, 1, 0]), abs=1e-6)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf])
@pytest.mark.parametrize("width", [1, 2, 17, shrunk(600, 33)])
def test_nan_and_infinity_anywhere_give_nan(width: int, bad: float) -> None:
    """As in PyTorch, also among -inf; and the rows beside it do not see it."""
    for rest in (-np.inf, 1.0):
        for place in range(0, width, 1 + width // 5):
            x = np.full((3, width), rest, np.float32)
            x[1, place] = np.copysign(np.float32(bad), np.float32(bad))
            y = quiet(LOG_SOFTMAX(3, width), x).y
            assert np.all(np.isnan(y[1]))
            assert not np.any(np.isnan(y[[0, 2]]))


def test_probabilities_near_one_keep_their_digits() -> None:
    """A float32 sum of 1 and 1e-9 is 1, and its logarithm 0."""
    x = np.array([[0, -20, -21], [30, 10, -3]], np.float32)
    wide = x.astype(np.float64)
    exact = wide - wide.max(axis=1, keepdims=True)
    exact -= np.log1p(np.exp(exact[:, 1:]).sum(axis=1, keepdims=True))
    assert LOG_SOFTMAX(2, 3).fwd((), x).y == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("n", "c"), [(2, shrunk(200_000, 400)), (shrunk(5000, 20), 10), (shrunk(300, 5), 513)])
def test_long_rows_and_many_rows(n: int, c: int) -> None:
    x, dy = numbers(3, n, c, scale=3.0), numbers(4, n, c)
    layer = LOG_SOFTMAX(n, c)
    forward = layer.fwd((), x)
    wide, wide_dy = x.astype(np.float64), dy.astype(np.float64)
    assert row_references.LOG_SOFTMAX.forward((), wide).holds(forward.y)
    assert row_references.LOG_SOFTMAX.backward((), wide, wide_dy).dx.holds(layer.bwd((), forward.s, dy, ()).dx)
