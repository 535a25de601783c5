"""The laws of losses find wrong means, derivatives and shifts, and find nothing in right ones that users write."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch.laws import check, examine
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.shapes.spec import mat_spec
from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L31 of a loss", "L36", "L54")
test_each_part_finds_its_fault = finds("L54 of sure answers", faults=PARTS)


def written(value: Callable[[Any, Any], float], dy: Callable[[Any, Any], Any]) -> Callable[[int, int], Any]:
    """A loss as users write it, from its value and its gradient."""

    def maker(n: int, c: int) -> Any:
        spec = mat_spec(n, c)
        return Loss("Mine", lambda y, t: LossOut(value(y, t), dy(y, t)), value, spec, spec)

    return maker


def squares(y: Any, t: Any) -> float:
    """Summed in float32."""
    return float(((y - t) ** 2).mean())


def distances(y: Any, t: Any) -> float:
    return float(np.abs(y - t).mean())


RIGHT = {
    "squares": written(squares, lambda y, t: np.float32(2) * (y - t) / np.float32(y.size)),
    "squares in float64": written(
        lambda y, t: float(((y - t) ** 2).mean(dtype=np.float64)), lambda y, t: 2 * (y - t) / np.float32(y.size)
    ),
    "distances": written(distances, lambda y, t: np.sign(y - t) / np.float32(y.size)),
    "distances, one side of the corner": written(
        distances, lambda y, t: np.where(y > t, np.float32(1), np.float32(-1)) / np.float32(y.size)
    ),
    "distances in float64": written(
        lambda y, t: float(np.abs(y.astype(np.float64) - t).mean()), lambda y, t: np.sign(y - t) / np.float32(y.size)
    ),
}


@pytest.mark.parametrize("maker", RIGHT.values(), ids=RIGHT)
def test_right_losses_of_users_are_right_and_their_warnings_are_not_shown(maker: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (outcome,) = check(maker, only="L36", cases=300).outcomes
        assert outcome.cases == 300
        check(maker, cases=40)


WRONG = {
    "half": written(squares, lambda y, t: (y - t) / np.float32(y.size)),
    "a sum": written(squares, lambda y, t: 2 * (y - t)),
    "by rows": written(distances, lambda y, t: np.sign(y - t) / np.float32(len(y))),
    "minus": written(distances, lambda y, t: np.sign(t - y) / np.float32(y.size)),
}


@pytest.mark.parametrize("maker", WRONG.values(), ids=WRONG)
def test_wrong_losses_of_users_are_found(maker: Any) -> None:
    assert [failure.law.number for failure in examine(maker, only="L36", cases=40).failures] == ["L36"]
