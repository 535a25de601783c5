"""Vectors as values: each lane has the bits that a number by itself has."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import lanes
from bendtorch.kernels.lanes import LANES
from bendtorch.kernels.vecmath import at_least, bits, exp_nonpositive, fma, from_bits, maximum
from tests.support.arrays import numbers, same_bits, same_numbers, special_numbers
from tests.support.kernels import compiled
from tests.support.sizes import seeds

AT, PUT, SAME, INSTEAD = lanes.lanes_at, lanes.put_lanes, lanes.same, lanes.instead
INVERSE, HAS_NAN = lanes.inverse, lanes.has_nan
HALF = np.float32(0.5)


@compiled
def combine(a: int, b: int, out: int) -> None:
    """Every operation, on two vectors and on a vector and a number, one result after another."""
    x, y, step = AT(a), AT(b), 4 * LANES
    PUT(x + y, out)
    PUT(x - y, out + step)
    PUT(x * y, out + 2 * step)
    PUT(HALF - x, out + 3 * step)
    PUT(y * HALF, out + 4 * step)
    PUT(fma(x, y, x), out + 5 * step)
    PUT(fma(x, HALF, y), out + 6 * step)
    PUT(maximum(x, y), out + 7 * step)
    PUT(at_least(x, y), out + 8 * step)
    PUT(at_least(x, HALF), out + 9 * step)
    PUT(INVERSE(x), out + 10 * step)
    PUT(from_bits(bits(x)), out + 11 * step)
    PUT(SAME(HALF), out + 12 * step)


@given(seed=seeds)
def test_operations(seed: int) -> None:
    a, b, out = special_numbers(seed, LANES), special_numbers(seed + 1, LANES), np.zeros((13, LANES), np.float32)
    with np.errstate(all="ignore"):
        combine(a.ctypes.data, b.ctypes.data, out.ctypes.data)
        x, y = a.astype("f8"), b.astype("f8")
        fused = [(x * y + x).astype("f4"), (x * 0.5 + y).astype("f4")]
        expected = [
            *(a + b, a - b, a * b, HALF - a, b * HALF, *fused, np.maximum(a, b), np.where(a < b, b, a)),
            *(np.where(a < HALF, HALF, a), np.float32(1) / a, a, np.full(LANES, HALF)),
        ]
    for row, wanted in zip(out, expected, strict=True):
        assert same_numbers(np.abs(row), np.abs(wanted.astype("f4")))
        assert np.array_equal(row, wanted, equal_nan=True)


@compiled
def exponentials(a: int, out: int) -> None:
    PUT(exp_nonpositive(AT(a)), out)


@compiled
def exponential(x: Any) -> Any:
    return exp_nonpositive(x)


@given(seed=seeds, scale=st.sampled_from([1e-3, 1.0, 40.0]))
def test_functions_of_numbers_take_vectors(seed: int, scale: float) -> None:
    x, y = -np.abs(numbers(seed, LANES, scale=scale)), np.zeros(LANES, np.float32)
    x[0], x[1] = np.nan, -np.inf
    with np.errstate(all="ignore"):
        exponentials(x.ctypes.data, y.ctypes.data)
        expected = np.array([exponential(value) for value in x], np.float32)
    assert same_numbers(y, expected)


@compiled
def replaced(a: int, count: int, other: Any) -> bool:
    value = INSTEAD(count, other, AT(a))
    PUT(value, a)
    return HAS_NAN(value)


@given(seed=seeds, count=st.integers(-3, LANES + 3))
def test_a_number_instead_of_the_first(seed: int, count: int) -> None:
    x = numbers(seed, LANES)
    expected = np.where(np.arange(LANES) < count, np.float32(7), x).astype("f4")
    assert not replaced(x.ctypes.data, count, np.float32(7))
    assert same_bits(x, expected)


@given(place=st.integers(0, LANES - 1), seed=seeds)
def test_nan_is_found_in_any_lane(place: int, seed: int) -> None:
    x = numbers(seed, LANES)
    x[place] = np.nan
    assert replaced(x.ctypes.data, 0, np.float32(0))


def test_a_vector_and_its_neighbours() -> None:
    """Nothing beside the numbers is written."""
    x = numbers(0, 3 * LANES)
    before = x.copy()
    assert not replaced(x.ctypes.data + 4 * LANES, LANES, np.float32(3))
    assert same_bits(x[:LANES], before[:LANES])
    assert same_bits(x[2 * LANES :], before[2 * LANES :])
    assert np.all(x[LANES : 2 * LANES] == 3)
