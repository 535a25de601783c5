"""Elementary functions against float64, over all of float32 in strides."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import vecmath
from tests.support.arrays import same_bits
from tests.support.kernels import compiled
from tests.support.sizes import shrunk

EXP = vecmath.exp
ORDERED: Any = vecmath.ordered
UNORDERED: Any = vecmath.unordered

STRIDE = shrunk(1009, 1_500_007)
PIECE = 1 << 20


@compiled
def exp_all(x: Any, y: Any) -> None:
    for i in range(x.size):
        y[i] = EXP(x[i])


def exp(x: Any) -> Any:
    y = np.empty_like(x)
    with np.errstate(all="ignore"):
        exp_all(x, y)
    return y


def ulps(actual: Any, exact: Any) -> Any:
    """The distance in units of the last place of float32 at the exact value; infinity counts as 2^128."""
    _, exponent = np.frexp(np.minimum(exact, 3.4028234663852886e38))
    unit = np.ldexp(1.0, np.maximum(exponent, -125) - 24)
    return np.abs(np.where(np.isinf(actual), 2.0**128, actual.astype(np.float64)) - np.minimum(exact, 2.0**128)) / unit


def test_exp_of_every_1009th_float32() -> None:
    worst = 0.0
    for start in range(0, 2**32, STRIDE * PIECE):
        words = np.arange(start, min(2**32, start + STRIDE * PIECE), STRIDE, dtype=np.int64).astype(np.uint32)
        x = words.view(np.float32)
        y = exp(x)
        number = ~np.isnan(x)
        assert np.all(np.isnan(y[~number]))
        with np.errstate(all="ignore"):
            exact = np.exp(x[number].astype(np.float64))
        worst = max(worst, float(ulps(y[number], exact).max()))
    assert worst <= 0.9


def test_exp_where_results_are_subnormal_or_overflow() -> None:
    count = shrunk(200_000, 500)
    for low, high in ((-104.5, -87.0), (-1e-3, 1e-3), (88.0, 89.5), (-1.0, 1.0)):
        x = np.linspace(low, high, count, dtype=np.float32)
        assert ulps(exp(x), np.exp(x.astype(np.float64))).max() <= 0.9


def test_exp_of_special_values() -> None:
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 88.72283, 88.73, -103.97, -200]
    x = np.array(specials, np.float32)
    y = exp(x)
    assert same_bits(y[:4], np.array([1, 1, np.inf, 0], np.float32))
    assert np.all(np.isnan(y[4:6]))
    assert same_bits(y[6:8], np.array([1, 1], np.float32))
    assert np.isfinite(y[8])
    assert same_bits(y[9:], np.array([np.inf, 1e-45, 0], np.float32))


words = st.integers(0, 2**32 - 1)


def as_float(word: int) -> Any:
    return np.uint32(word).view(np.float32)


@given(a=words, b=words)
def test_ordered_grows_as_the_number_does(a: int, b: int) -> None:
    x, y = as_float(a), as_float(b)
    if not np.isnan(x) and not np.isnan(y) and x < y:
        assert ORDERED(x) < ORDERED(y)
    back = UNORDERED(np.int32(ORDERED(x)))
    assert np.float32(back).tobytes() == x.tobytes() or np.isnan(x)


def test_ordered_puts_minus_zero_below_zero_and_nan_above_infinity() -> None:
    values = [np.float32(v) for v in (-np.inf, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, np.inf, np.nan)]
    keys = [int(ORDERED(v)) for v in values]
    assert keys == sorted(set(keys))
