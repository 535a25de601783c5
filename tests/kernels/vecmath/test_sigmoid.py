"""The logistic function against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.vecmath import sigmoid as scalar
from bendtorch.kernels.vecmath.sigmoid import exp_of_minus_size, odds
from tests.support.arrays import same_bits
from tests.support.elementary import SPECIAL, between, on_arrays, ulps, worst, worst_of_all
from tests.support.kernels import compiled

ODDS: Any = odds

sigmoid = on_arrays(scalar)


def exact(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_every_1009th_float32() -> None:
    assert worst_of_all(sigmoid, exact) <= 1.7


@pytest.mark.parametrize(("low", "high"), [(-105, -86), (-1e-3, 1e-3), (-3, 3), (15, 18), (88, 89)])
def test_where_results_are_tiny_or_nearly_one(low: float, high: float) -> None:
    assert worst(sigmoid, exact, between(low, high)) <= 1.7


def test_special_values() -> None:
    assert worst(sigmoid, exact, SPECIAL) <= 1.7
    assert same_bits(sigmoid(np.array([0, -0.0, -200, 200], np.float32)), np.array([0.5, 0.5, 0, 1], np.float32))


@compiled
def first(v: Any) -> Any:
    return ODDS(v)[0]


@compiled
def second(v: Any) -> Any:
    return ODDS(v)[1]


def test_odds() -> None:
    """p is a power of two down to 2^-149, and d is p·(1 + e^-v), rounded once or twice."""
    v = np.concatenate([between(-103, 40), between(-1, 1)])
    p, d = on_arrays(first)(v), on_arrays(second)(v)
    assert np.all(np.frexp(p)[0] == 0.5)
    assert ulps(d, p * (1 + np.exp(-v.astype(np.float64)))).max() <= 1.6
    assert np.all((d >= 0.7) & (d <= 2.5))


def test_odds_of_special_values() -> None:
    v = np.array([-np.inf, -200, 200, np.inf, np.nan], np.float32)
    p, d = on_arrays(first)(v), on_arrays(second)(v)
    assert same_bits(p[:4], np.array([0, 0, 1, 1], np.float32))
    assert same_bits(d[2:4], np.array([1, 1], np.float32))
    assert np.isnan(d[4])


def test_exp_of_minus_size() -> None:
    x = np.concatenate([between(-120, 120), SPECIAL])
    assert worst(on_arrays(exp_of_minus_size), lambda v: np.exp(-np.abs(v)), x) <= 0.92
