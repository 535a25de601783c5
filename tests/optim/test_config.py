"""Configurations: refused when they contradict themselves; the numbers of a step against exact fractions."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.optim import SGD, Adam, AdamW, Momentum
from bendtorch.optim.at import AdamAt, MomentumAt, SGDAt

rates = st.floats(0, 1e6)
betas = st.floats(0, 0.99999)
steps = st.integers(1, 10**6)

KINDS: tuple[Any, ...] = (SGD, Momentum, Adam, AdamW)
ADAMS: tuple[Any, ...] = (Adam, AdamW)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lr", [-1e-9, -1.0, math.inf, -math.inf, math.nan])
def test_rates_are_finite_and_not_negative(kind: Any, lr: float) -> None:
    with pytest.raises(ConfigError, match=rf"^{kind.__name__}: lr must be a finite number of at least 0, got {lr}$"):
        kind(lr=lr)


@pytest.mark.parametrize("momentum", [-0.1, 1.0, 1.5, math.inf, math.nan])
def test_momentum_is_below_1(momentum: float) -> None:
    with pytest.raises(ConfigError, match=r"^Momentum: momentum must be in \[0, 1\), got"):
        Momentum(0.1, momentum)


@pytest.mark.parametrize("kind", ADAMS)
@pytest.mark.parametrize("name", ["beta1", "beta2"])
@pytest.mark.parametrize("beta", [-0.1, 1.0, 1.5, math.inf, math.nan])
def test_betas_are_below_1(kind: Any, name: str, beta: float) -> None:
    with pytest.raises(ConfigError, match=rf"^{kind.__name__}: {name} must be in \[0, 1\), got {beta}$"):
        kind(**{name: beta})


@pytest.mark.parametrize("kind", ADAMS)
@pytest.mark.parametrize("name", ["eps", "weight_decay"])
@pytest.mark.parametrize("value", [-1e-9, math.inf, math.nan])
def test_eps_and_decay_are_finite_and_not_negative(kind: Any, name: str, value: float) -> None:
    with pytest.raises(
        ConfigError, match=rf"^{kind.__name__}: {name} must be a finite number of at least 0, got {value}$"
    ):
        kind(**{name: value})


@given(beta=betas, off=st.floats(-1, 1))
def test_given_complements_agree_to_2_to_the_minus_23(beta: float, off: float) -> None:
    for number in (1, 2):
        exact = 1 - beta
        near = {f"beta{number}": beta, f"one_minus_beta{number}": exact + off * 0.999 * 2.0**-23}
        assert isinstance(Adam(**near), Adam)
        far = {f"beta{number}": beta, f"one_minus_beta{number}": exact + math.copysign(2.0**-22 + abs(off), off)}
        with pytest.raises(ConfigError, match=rf"^Adam: one_minus_beta{number} must be 1 - .* to within 2\^-23, got"):
            Adam(**far)


def test_a_complement_that_is_nan_is_refused() -> None:
    with pytest.raises(ConfigError, match="one_minus_beta1"):
        Adam(one_minus_beta1=math.nan)


def test_defaults_are_pytorchs() -> None:
    assert (Adam().lr, Adam().beta1, Adam().beta2, Adam().eps, Adam().weight_decay) == (1e-3, 0.9, 0.999, 1e-8, 0.0)
    assert (AdamW().lr, AdamW().beta1, AdamW().beta2, AdamW().eps, AdamW().weight_decay) == (
        *(1e-3, 0.9, 0.999),
        *(1e-8, 0.01),
    )
    assert Momentum(0.1).momentum == 0.9


@pytest.mark.parametrize("optimizer", [SGD(0.1), Momentum(0.1), Adam(), AdamW()])
def test_a_configuration_cannot_be_changed(optimizer: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        optimizer.lr = 1.0


@given(lr=rates, momentum=betas, t=steps)
def test_numbers_that_do_not_change(lr: float, momentum: float, t: int) -> None:
    assert SGD(lr).at(t) == SGDAt(lr)
    assert Momentum(lr, momentum).at(t) == MomentumAt(lr, momentum)


@pytest.mark.parametrize("kind", ADAMS)
@given(lr=st.floats(1e-6, 10), beta1=betas, beta2=betas, t=st.integers(1, 300))
def test_corrections_are_those_of_exact_arithmetic(kind: Any, lr: float, beta1: float, beta2: float, t: int) -> None:
    """To 1e-10, for 1 - beta^t taken in fractions; where it cancels, float64 still keeps these digits."""
    at = kind(lr=lr, beta1=beta1, beta2=beta2, weight_decay=0.25, eps=1e-6).at(t)
    assert isinstance(at, AdamAt)
    first, second = 1 - Fraction(beta1) ** t, 1 - Fraction(beta2) ** t
    assert at.step_size == pytest.approx(float(Fraction(lr) / first), rel=1e-10)
    assert at.denominator == pytest.approx(math.sqrt(second), rel=1e-10)
    assert at.one_minus_beta1 == float(1 - Fraction(beta1))
    assert at.one_minus_beta2 == float(1 - Fraction(beta2))
    assert (at.lr, at.beta2, at.eps, at.weight_decay, at.decoupled) == (lr, beta2, 1e-6, 0.25, kind is AdamW)


@given(t=steps)
def test_given_complements_are_used(t: int) -> None:
    at = Adam(one_minus_beta1=0.1, one_minus_beta2=0.001).at(t)
    assert (at.one_minus_beta1, at.one_minus_beta2) == (0.1, 0.001)
