"""Nests: tuples, records, dicts; seen and rebuilt without changing what they are."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bendtorch.laws.nest import arrays_in, floats_in, mapped, rebuilt, replaced, shown
from bendtorch.layers import Lin

Pair = namedtuple("Pair", ["a", "b"])


@dataclass(frozen=True)
class Frozen:
    """Parameters as a user writes them."""

    a: Any
    b: Any = 3


class Slots:
    """A record without a dataclass."""

    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a, self.b = ones(1), ones(2)


def ones(n: int) -> Any:
    return np.ones(n, np.float32)


NESTS: dict[str, Any] = {
    "array": ones(1),
    "tuple": (ones(1), (ones(2), ())),
    "list": [ones(1), ones(2)],
    "dict": {"a": ones(1), "b": (ones(2),)},
    "named tuple": Pair(ones(1), ones(2)),
    "dataclass": Frozen(ones(1)),
    "Lin": Lin(np.ones((2, 3), np.float32), np.ones((1, 2), np.float32)),
    "slots": Slots(),
    "nothing": None,
}


@pytest.mark.parametrize("value", NESTS.values(), ids=NESTS)
def test_mapping_changes_the_arrays_alone(value: Any) -> None:
    other = mapped(lambda array: array + 1, value)
    assert type(other) is type(value)
    assert [a.shape for a in arrays_in(other)] == [a.shape for a in arrays_in(value)]
    assert all((a == 2).all() for a in arrays_in(other))
    assert all((a == 1).all() for a in arrays_in(value))
    assert shown(other) == shown(value)


def test_the_rest_of_a_record_stays() -> None:
    assert mapped(lambda array: array, NESTS["dataclass"]).b == 3


def test_rebuilding_and_replacing() -> None:
    value = (ones(1), [ones(2)])
    other: Any = rebuilt(value, [1, 2])
    assert other == (1, [2])
    changed: Any = replaced(value, 1, ones(5))
    assert [len(a) for a in arrays_in(changed)] == [1, 5]
    assert changed[0] is value[0]


def test_only_numbers_have_gradients() -> None:
    assert floats_in((np.zeros(2, np.int64), ones(1), np.zeros(1, np.uint32))) == [ones(1)]


def test_what_a_nest_is_made_of() -> None:
    assert shown((np.zeros((2, 3), np.float32), (np.zeros(4, np.int64), ()))) == "(float32[2, 3], (int64[4], ()))"
    assert shown(NESTS["Lin"]) == "Lin(float32[2, 3], float32[1, 2])"
    assert shown(None) == "NoneType"
