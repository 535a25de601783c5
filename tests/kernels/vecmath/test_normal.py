"""The normal distribution's tail against float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bendtorch.kernels.vecmath.normal import tail_parts
from tests.support.elementary import between, on_arrays, ulps
from tests.support.kernels import compiled

PARTS: Any = tail_parts
tail_of = np.vectorize(lambda a: math.erfc(a / math.sqrt(2)) / 2, otypes=[np.float64])


@compiled
def first(a: Any) -> Any:
    return PARTS(a)[0]


@compiled
def second(a: Any) -> Any:
    return PARTS(a)[1]


e, r = on_arrays(first), on_arrays(second)


def g(a: Any) -> Any:
    return 0.5 - a * r(a).astype(np.float64)


def test_the_power_of_e() -> None:
    """As exact as e^x although a² is large: what its rounding drops is in the exponent."""
    a = between(0, 14.4)
    assert ulps(e(a), np.exp(-np.square(a.astype(np.float64)) / 2)).max() <= 1.1


def test_the_tail() -> None:
    a = between(0, 13)
    exact = tail_of(a.astype(np.float64))
    error = np.abs(e(a) * g(a) - exact)
    assert (error / exact).max() <= 6e-6
    assert error.max() <= 2.0**-24


def test_far_away_it_is_zero() -> None:
    a = np.array([14.45, 14.5], np.float32)
    assert not e(a).any()
    assert np.all(np.isfinite(r(a)))


def test_special_values() -> None:
    a = np.array([0.0, 1e-45, np.nan], np.float32)
    assert np.array_equal(e(a)[:2], [1, 1])
    assert np.array_equal(g(a)[:2], [0.5, 0.5])
    assert np.isnan(e(a)[2])
    assert np.isnan(r(a)[2])
