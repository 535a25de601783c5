"""tanh against float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.vecmath import tanh as scalar
from tests.support.arrays import same_bits
from tests.support.elementary import SPECIAL, between, on_arrays, worst, worst_of_all

tanh = on_arrays(scalar)


def test_every_1009th_float32() -> None:
    assert worst_of_all(tanh, np.tanh) <= 1.1


@pytest.mark.parametrize(("low", "high"), [(0.69, 0.71), (-0.71, -0.69), (-1e-3, 1e-3), (8.9, 10.1), (-1e-37, 1e-37)])
def test_at_the_ends_of_its_two_parts_and_near_zero(low: float, high: float) -> None:
    assert worst(tanh, np.tanh, between(low, high)) <= 1.1


def test_special_values() -> None:
    assert worst(tanh, np.tanh, SPECIAL) <= 1.1
    assert same_bits(tanh(np.array([9.02, -9.02, 3e38], np.float32)), np.array([1, -1, 1], np.float32))


@given(x=st.floats(width=32, allow_nan=False))
def test_is_odd(x: float) -> None:
    pair = tanh(np.array([x, -x], np.float32))
    assert same_bits(pair[:1], -pair[1:])
