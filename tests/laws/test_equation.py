"""Two composites compared in dump order: other nestings are equal, other layers are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Both, Linear, LinearFirst, Tanh, Tie
from bendtorch.laws.equation import compared, equal, holds, nested
from bendtorch.laws.law import NotHereError
from bendtorch.laws.trial import draw
from bendtorch.shapes.spec import mat_spec

linear: Any = Linear
first: Any = LinearFirst
tanh: Any = Tanh
F, G, H = linear(3, 2, 4), linear(3, 4, 1), tanh(3, 1)
TRIAL = draw(F, 5)


def difference(equation: Any, parts: tuple[str, ...] = ("y", "dx", "dp")) -> Any:
    return compared(TRIAL, equation, parts)


def test_other_brackets_are_equal() -> None:
    assert difference(equal((F, G, H), "a", (F >> G) >> H, (0, 1, 2), "b", F >> (G >> H), (0, 1, 2))) is None


def test_an_order_of_parts_says_whose_gradient_is_whose() -> None:
    one = Both(F, F)
    assert difference(equal((F, F), "f⊗f", one, (0, 1), "f⊗f", one, (0, 1))) is None
    assert difference(equal((F, F), "f⊗f", one, (0, 1), "f⊗f", one, (1, 0))) is not None


def test_the_gradient_of_a_layer_that_is_used_twice_is_the_sum() -> None:
    square, mid = linear(3, 2, 2), tanh(3, 2)
    tied, loose = Tie(square, mid, square), square >> mid >> square
    assert difference(equal((square, mid), "tie", tied, (0, 1), "chain", loose, (0, 1, 0), close=True)) is None


def test_the_message_names_both_sides() -> None:
    found = difference(equal((F,), "f", F, (0,), "f;tanh", F >> tanh(3, 4), (0,)))
    assert str(found).startswith("at y[0][0, 0], f gives ")
    assert " and f;tanh gives " in str(found)


def test_a_layer_that_cannot_stand_there_is_no_failure() -> None:
    def build(trial: Any) -> Any:
        yield equal((F,), "f", F >> first(3, 4, 1), (0,), "g", G, (0,))

    with pytest.raises(NotHereError, match="gives no gradient of its input"):
        holds(build)(TRIAL)


def test_arrays_in_the_nest_of_a_spec() -> None:
    a, b, c = np.zeros(1), np.zeros(2), np.zeros(3)
    value: Any = nested((mat_spec(1, 1), (mat_spec(1, 1), mat_spec(1, 1))), [a, b, c])
    assert value[0] is a
    assert value[1][1] is c
