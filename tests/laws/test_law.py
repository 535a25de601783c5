"""Two sides of a law: equal in every bit, or close; where they first differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.laws.law import Difference, differ


def array(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


def difference(a: Any, b: Any, slack: Any = None, **options: Any) -> Difference | None:
    within = None if slack is None else {"y": slack}
    return differ("one", {"y": a}, "two", {"y": b}, within, **options)


@pytest.mark.parametrize("value", [array(), array(1, -0.0, np.inf, np.nan, 1e-45), np.arange(3), ()])
def test_a_value_equals_itself(value: Any) -> None:
    assert difference(value, value) is None
    assert difference(value, value, [0.0]) is None


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (array(1, 2), array(1, 3), "at y[1], one gives 2.0 and two gives 3.0"),
        (array(0.0), array(-0.0), "at y[0], one gives 0.0 and two gives -0.0"),
        (array(np.nan), array(1), "at y[0], one gives nan and two gives 1.0"),
        (array(np.inf), array(-np.inf), "at y[0], one gives inf and two gives -inf"),
        ((array(1), array(1)), (array(1), array(2)), "at y[1][0], one gives 1.0 and two gives 2.0"),
        (array(1), array(1, 2), "at y, one gives float32[1] and two gives float32[2]"),
        (array(1), np.ones(1), "at y, one gives float32[1] and two gives float64[1]"),
        ((array(1),), (), "at y, one gives (float32[1]) and two gives ()"),
        (np.arange(2), np.array([0, 7]), "at y[1], one gives 1 and two gives 7"),
    ],
)
def test_the_first_difference(a: Any, b: Any, text: str) -> None:
    assert str(difference(a, b)) == text


def test_a_nan_is_a_nan_unless_its_bits_count() -> None:
    other = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert difference(array(np.nan), other) is None
    assert difference(array(np.nan), other, nan_bits=True) is not None


def test_slack_is_for_each_array() -> None:
    a, b = (array(1), array(1)), (array(1.5), array(2.5))
    assert difference(a, b, [0.5, 1.5]) is None
    found = difference(a, b, [0.5, 1.0])
    assert found is not None
    assert found.place == "y[1][0]"


@pytest.mark.parametrize("other", [np.nan, np.inf, -np.inf])
def test_no_slack_hides_nan_or_infinity(other: float) -> None:
    assert difference(array(1), array(other), [1e30]) is not None
    assert difference(array(other), array(other), [0.0]) is None


def test_a_slack_that_is_no_number_excuses_nothing() -> None:
    assert difference(array(1), array(2), [np.inf]) is not None
    assert difference(array(1), array(2), [np.nan]) is not None
    assert difference(array(1, np.inf), array(1, np.inf), [np.inf]) is None
