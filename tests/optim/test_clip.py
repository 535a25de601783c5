"""Clipping: the norm's bound, the identity below it, NaN (L43)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.optim import ClipNorm, ClipValue, global_norm
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds

bounds = st.floats(1e-3, 1e3)


@given(seed=seeds, count=st.integers(0, 50), most=bounds, power=st.integers(-20, 60))
def test_the_norm_is_at_most_the_bound_and_clipping_again_changes_little(
    seed: int, count: int, most: float, power: int
) -> None:
    g = numbers(seed, count) * np.float32(2.0**power)
    before, exact = g.copy(), math.sqrt(math.fsum(float(v) ** 2 for v in g))
    assert math.isclose(ClipNorm(most)(g), exact, rel_tol=1e-9)
    after = global_norm(g)
    assert after <= most * (1 + 2.0**-22)
    if exact <= most * (1 - 2.0**-40):
        assert same_bits(g, before)
    elif exact > 1e-3:
        assert after >= most * (1 - 2e-3)  # a norm of a thousandth, and 1e-6 added to it
    again = g.copy()
    ClipNorm(most)(again)
    assert np.allclose(again, g, rtol=2.0**-22 + 1e-6 / most if after > most else 0, atol=0)


@given(seed=seeds, count=st.integers(0, 50), split=st.integers(0, 50))
def test_squared_norms_add(seed: int, count: int, split: int) -> None:
    g = numbers(seed, count)
    parts = global_norm(g[:split].copy()) ** 2 + global_norm(g[split:].copy()) ** 2
    assert math.isclose(global_norm(g) ** 2, parts, rel_tol=1e-12)


@given(seed=seeds, most=bounds)
def test_values(seed: int, most: float) -> None:
    g = numbers(seed, 20)
    expected = np.clip(g, -np.float32(most), np.float32(most))
    ClipValue(most)(g)
    assert same_bits(g, expected)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_norm_that_is_not_finite_is_refused_and_nothing_is_changed(wrong: float) -> None:
    g = np.array([1, wrong, 2], np.float32)
    before = g.copy()
    with pytest.raises(NonFiniteError, match=r"ClipNorm: the norm of the gradient is (nan|inf)"):
        ClipNorm(1.0)(g)
    assert same_bits(g, before)


@pytest.mark.parametrize("kind", [ClipNorm, ClipValue])
@pytest.mark.parametrize("most", [0, -1.0, math.nan, math.inf, True, "1"])
def test_bounds_are_above_0(kind: Any, most: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{kind.__name__}: the bound must be a finite number above 0, got"):
        kind(most)
