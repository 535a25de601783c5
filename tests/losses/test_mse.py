"""MSE: the checks of every loss, and edge values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.losses import MSE
from tests.support.losses import Judged, check_loss, matrix_target
from tests.support.references import TINY, UNIT, Bounded

LOSS: Any = MSE


def judge(y: Any, target: Any) -> Judged:
    """The mean of squares of n·c differences, summed in blocks."""
    difference = y - target.astype(np.float64)
    value, gradient = np.mean(difference**2), 2 * difference / y.size
    return Judged(
        Bounded(np.asarray(value), np.asarray((min(y.size, 1024) + 8) * UNIT * value + TINY)),
        Bounded(gradient, 4 * UNIT * np.abs(gradient) + TINY),
        len(y),
    )


test_mse = check_loss(MSE, judge, matrix_target)


def test_example() -> None:
    out = LOSS(2, 2).grad(np.array([[1, 2], [3, 4]], np.float32), np.array([[1, 0], [4, 4]], np.float32))
    assert out.loss == (0 + 4 + 1 + 0) / 4
    assert out.dy.tolist() == [[0, 1], [-0.5, 0]]


@pytest.mark.parametrize(
    ("y", "target", "loss", "gradient"),
    [
        (np.nan, 0, np.nan, np.nan),
        (0, np.nan, np.nan, np.nan),
        (np.inf, 0, np.inf, np.inf),
        (0, np.inf, np.inf, -np.inf),
        (np.inf, np.inf, np.nan, np.nan),
        (-0.0, 0.0, 0.0, 0.0),
        (1e30, 0, float(np.float32(1e30)) ** 2, 2e30),  # beyond float32, as the loss is a float64
    ],
)
def test_edge_values(y: float, target: float, loss: float, gradient: float) -> None:
    with np.errstate(all="ignore"):
        out = LOSS(1, 1).grad(np.array([[y]], np.float32), np.array([[target]], np.float32))
    assert np.array_equal([out.loss], [loss], equal_nan=True)
    assert np.array_equal(out.dy, np.array([[gradient]], np.float32), equal_nan=True)


def test_many_small_squares_beside_a_large_one() -> None:
    """A running float32 sum forgets them."""
    y = np.full((1, 50_000), 1, np.float32)
    y[0, 0] = 4096
    assert LOSS(1, 50_000).value(y, np.zeros_like(y)) == pytest.approx((4096**2 + 49_999) / 50_000, rel=1e-4)
