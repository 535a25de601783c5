"""erf against float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.vecmath import erf as scalar
from tests.support.arrays import same_bits
from tests.support.elementary import SPECIAL, between, on_arrays, worst, worst_of_all

erf = on_arrays(scalar)
exact = np.vectorize(math.erf, otypes=[np.float64])


def test_every_1009th_float32() -> None:
    assert worst_of_all(erf, exact) <= 0.93


@pytest.mark.parametrize(
    ("low", "high"), [(0.91, 0.93), (-0.93, -0.91), (0.9, 1.1), (-1e-3, 1e-3), (3.9, 4.1), (-1e-37, 1e-37)]
)
def test_at_the_ends_of_its_two_parts_and_near_zero(low: float, high: float) -> None:
    assert worst(erf, exact, between(low, high)) <= 0.93


def test_special_values() -> None:
    assert worst(erf, exact, SPECIAL) <= 0.93
    assert same_bits(erf(np.array([4, -4, 3e38], np.float32)), np.array([1, -1, 1], np.float32))


@given(x=st.floats(width=32, allow_nan=False))
def test_is_odd(x: float) -> None:
    pair = erf(np.array([x, -x], np.float32))
    assert same_bits(pair[:1], -pair[1:])
