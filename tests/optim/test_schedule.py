"""Schedules: their values where one knows them, their shape between, and as an optimizer's learning rate."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.optim import (
    SGD,
    WSDLR,
    AdamW,
    ConstantLR,
    CosineLR,
    LinearLR,
    Momentum,
    PackedAdamW,
    Schedule,
    StepLR,
)

WARMING: tuple[Any, ...] = (ConstantLR(3.0, warmup=8), CosineLR(3.0, 40, 8, 0.5), WSDLR(3.0, 40, 8, 10, 0.5))
FALLING: tuple[Any, ...] = (CosineLR(3.0, 40, 8, 0.5), WSDLR(3.0, 40, 8, 10, 0.5))


@pytest.mark.parametrize("schedule", WARMING)
def test_a_warm_up_rises_in_equal_parts_to_the_peak(schedule: Any) -> None:
    assert [schedule(step) for step in range(1, 9)] == pytest.approx([3 * step / 8 for step in range(1, 9)])


@pytest.mark.parametrize("schedule", FALLING)
def test_a_decay_falls_to_the_floor_and_stays(schedule: Any) -> None:
    rates = [schedule(step) for step in range(8, 60)]
    assert all(a >= b for a, b in pairwise(rates))
    assert rates[0] == 3.0
    assert rates[32:] == pytest.approx([0.5] * 20)


def test_half_a_cosine() -> None:
    schedule = CosineLR(2.0, 100)
    assert schedule(50) == pytest.approx(1.0)
    assert [schedule(step) for step in (25, 75)] == pytest.approx([1 + math.sqrt(0.5), 1 - math.sqrt(0.5)])
    assert schedule(100) == 0


def test_a_stable_stretch_and_a_linear_decay() -> None:
    schedule = WSDLR(2.0, steps=100, warmup=10, decay=20, floor=1.0)
    assert [schedule(step) for step in (10, 50, 80)] == [2.0, 2.0, 2.0]
    assert [schedule(step) for step in (85, 90, 95)] == pytest.approx([1.75, 1.5, 1.25])


@given(start=st.floats(0, 10), end=st.floats(0, 10), steps=st.integers(1, 100), step=st.integers(1, 200))
def test_a_line(start: float, end: float, steps: int, step: int) -> None:
    done = min(step / steps, 1)
    assert LinearLR(start, end, steps)(step) == pytest.approx(start + (end - start) * done)


@given(every=st.integers(1, 10), step=st.integers(1, 100))
def test_stairs(every: int, step: int) -> None:
    expected = 0.4
    for _ in range((step - 1) // every):
        expected *= 0.5
    assert StepLR(0.4, every, 0.5)(step) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [SGD, Momentum, AdamW, PackedAdamW])
@given(step=st.integers(1, 60))
def test_an_optimizer_takes_its_rate_from_the_schedule(kind: Any, step: int) -> None:
    schedule = CosineLR(0.3, 40, 8)
    assert isinstance(schedule, Schedule)
    assert kind(schedule).at(step) == kind(schedule(step)).at(step)
    assert kind(lambda t: 0.5 / t).at(step) == kind(0.5 / step).at(step)


@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf, "1"])
def test_an_impossible_rate_of_a_schedule_is_refused_at_its_step(rate: Any) -> None:
    with pytest.raises(ConfigError, match="AdamW: the schedule at step 7: lr must be a"):
        AdamW(lambda step: rate if step == 7 else 0.1).at(7)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ConstantLR(-1.0), "ConstantLR: lr must be a finite number of at least 0, got -1.0"),
        (lambda: ConstantLR(1.0, -1), "ConstantLR: warmup must be an int of at least 0, got -1"),
        (lambda: LinearLR(1.0, math.nan, 3), "LinearLR: end must be a finite number of at least 0, got nan"),
        (lambda: LinearLR(1.0, 0.0, 0), "LinearLR: steps must be an int of at least 1, got 0"),
        (
            lambda: CosineLR(1.0, 10, 10),
            "CosineLR: steps must be an int of at least 11 (more than the warm-up), got 10",
        ),
        (lambda: CosineLR(1.0, 10, 1, math.inf), "CosineLR: floor must be a finite number of at least 0, got inf"),
        (lambda: WSDLR(1.0, 10, 5, 6), "WSDLR: steps must be an int of at least 11 (warm-up and decay), got 10"),
        (lambda: WSDLR(1.0, 10, 5, 0), "WSDLR: decay must be an int of at least 1, got 0"),
        (lambda: StepLR(1.0, 0), "StepLR: every must be an int of at least 1, got 0"),
        (lambda: StepLR(1.0, True), "StepLR: every must be an int of at least 1, got True"),
    ],
)
def test_impossible_settings_are_refused(make: Any, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert str(caught.value) == text
