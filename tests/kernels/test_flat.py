"""What is done to a whole buffer, against float64 and numpy, over several chunks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.flat import CHUNK, approach, clamp, scale, sum_of_squares
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

sizes = st.sampled_from([0, 1, 5, *([CHUNK, CHUNK + 3] if shrunk(1, 0) else [])])
APPROACH: Any = approach
CLAMP: Any = clamp
SCALE: Any = scale
F = np.float32


@given(size=sizes, seed=seeds, power=st.integers(-140, 120))
def test_squares_are_summed_without_overflow(size: int, seed: int, power: int) -> None:
    x = numbers(seed, size) * F(2.0**power)
    exact = math.fsum(float(v) ** 2 for v in x)
    assert math.isclose(sum_of_squares(x), exact, rel_tol=1e-12)


def test_infinity_and_nan_are_seen() -> None:
    assert sum_of_squares(np.array([1, -np.inf], F)) == np.inf
    assert math.isnan(sum_of_squares(np.array([1, np.nan], F)))


@given(size=sizes, seed=seeds, factor=st.floats(-2, 2, width=32), share=st.floats(0, 1, width=32))
def test_factor_and_approach(size: int, seed: int, factor: float, share: float) -> None:
    x, to = numbers(seed, size), numbers(seed + 1, size)
    scaled, near = x.copy(), x.copy()
    SCALE(scaled, F(factor))
    expected: Any = x * F(factor)
    assert same_bits(scaled, expected)
    APPROACH(near, to, F(share))
    exact: Any = np.float64(F(share)) * (to - x).astype(np.float64) + x.astype(np.float64)
    assert same_bits(near, exact.astype(F))


@given(size=sizes, seed=seeds, most=st.floats(0.125, 3, width=32))
def test_clamp(size: int, seed: int, most: float) -> None:
    x = numbers(seed, size)
    x[: size // 5] = np.nan
    clamped = x.copy()
    CLAMP(clamped, F(most))
    assert same_bits(clamped, np.clip(x, -F(most), F(most)))


def test_bits_do_not_depend_on_threads() -> None:
    x = numbers(1, shrunk(7 * CHUNK + 1, 50))
    assert len(set(at_every_count(lambda: sum_of_squares(x)))) == 1
