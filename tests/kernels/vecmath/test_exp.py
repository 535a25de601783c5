"""exp against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.vecmath import exp as scalar
from bendtorch.kernels.vecmath import exp_nonpositive
from bendtorch.kernels.vecmath.exp import exp_of_negative
from tests.support.arrays import same_bits
from tests.support.elementary import between, on_arrays, worst, worst_of_all
from tests.support.kernels import compiled

exp = on_arrays(scalar)
nonpositive = on_arrays(exp_nonpositive)
OF_NEGATIVE: Any = exp_of_negative
NOTHING = np.float32(-0.0)
TINY = np.float32(2.0**-27)


@compiled
def minus_nothing(x: Any) -> Any:
    return OF_NEGATIVE(x, NOTHING)


of_negative = on_arrays(minus_nothing)


def test_every_1009th_float32() -> None:
    assert worst_of_all(exp, np.exp) <= 0.92


@pytest.mark.parametrize(("low", "high"), [(-104.5, -87.0), (-1e-3, 1e-3), (88.0, 89.5), (-1.0, 1.0)])
def test_where_results_are_subnormal_near_one_or_overflow(low: float, high: float) -> None:
    assert worst(exp, np.exp, between(low, high)) <= 0.92


def test_special_values() -> None:
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 88.72283, 88.73, -103.97, -200]
    y = exp(np.array(specials, np.float32))
    assert same_bits(y[:4], np.array([1, 1, np.inf, 0], np.float32))
    assert np.all(np.isnan(y[4:6]))
    assert same_bits(y[6:8], np.array([1, 1], np.float32))
    assert np.isfinite(y[8])
    assert same_bits(y[9:], np.array([np.inf, 1e-45, 0], np.float32))


def test_of_negative_numbers_is_the_same_down_to_the_smallest_results() -> None:
    x = between(-105.0, 0.0)
    assert same_bits(of_negative(x), exp(x))
    assert np.all(of_negative(between(-160, -105)) == 0)


def test_of_what_is_not_positive_it_has_the_same_bits() -> None:
    x = np.concatenate([between(-200.0, 0.0), np.array([0.0, -0.0, -np.inf, -3e38], np.float32)])
    assert same_bits(nonpositive(x), exp(x))
    assert np.isnan(nonpositive(np.array([np.nan, -np.nan], np.float32))).all()


def test_the_rest_of_an_argument_counts() -> None:
    """e^(x + rest) is more exact than e^(x + rest rounded)."""
    x = between(-80, -16)

    @compiled
    def with_rest(v: Any) -> Any:
        return OF_NEGATIVE(v, -v * TINY)

    wide = x.astype(np.float64)
    exact = np.exp(wide - wide * 2.0**-27)
    assert np.abs(on_arrays(with_rest)(x) / exact - 1).max() <= 2.0**-23
