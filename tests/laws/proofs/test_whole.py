"""Whole numbers of any size: what follows is proved, what does not is refuted with numbers, every branch is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("z3", reason="the index laws are proved by z3")

from bendtorch.laws.proofs import whole
from bendtorch.laws.proofs.whole import NotProvedError, Reasoning, every_way

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
    "-a": lambda a, b: -a,
    "if": lambda a, b: b if a else -1,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "!=": lambda a, b: a != b,
}


@settings(max_examples=60)
@given(st.sampled_from(sorted(OPERATIONS)), st.integers(-9, 9), st.integers(1, 9), st.integers(0, 2))
def test_operations_are_those_of_python(name: str, a: int, b: int, known: int) -> None:
    operation = OPERATIONS[name]

    def proof(at: Reasoning) -> None:
        one = a if known == 1 else at.whole("a", a, a + 1)
        other = b if known == 2 else at.whole("b", b, b + 1)
        at.equal(name, operation(one, other), operation(a, b))

    assert every_way(proof) >= 1


def test_every_branch_is_taken() -> None:
    seen = []

    def proof(at: Reasoning) -> None:
        a, b = at.wholes("a b")
        seen.append((a < b, a == 0))
        at.claim("the smaller one is no larger", min(a, b) <= max(a, b))

    assert every_way(proof) >= 4
    assert set(seen) == {(True, True), (True, False), (False, True), (False, False)}


def test_a_refutation_has_small_numbers() -> None:
    def proof(at: Reasoning) -> None:
        a, b = at.whole("a"), at.whole("b", 1)
        at.equal("a quotient, times its divisor", a // b * b, a)

    with pytest.raises(NotProvedError, match=r"a quotient, times its divisor: 0 is not 1 for a = 1, b = 2"):
        every_way(proof)


def test_what_is_claimed_is_known_afterwards() -> None:
    def proof(at: Reasoning) -> None:
        a = at.whole("a")
        at.claim("an even number", a % 2 == 0)

    with pytest.raises(NotProvedError, match="for a = 1"):
        every_way(proof)


def test_a_divisor_must_be_above_zero() -> None:
    with pytest.raises(NotProvedError, match="a divisor is not above 0 for a = 0"):
        every_way(lambda at: at.claim("a quotient", 1 // at.whole("a") >= 0))


def test_assumptions_that_no_numbers_meet() -> None:
    def proof(at: Reasoning) -> None:
        a = at.whole("a")
        at.assume(a < 0)
        at.claim("anything", False)

    with pytest.raises(NotProvedError, match="no numbers are as the proof assumes"):
        every_way(proof)


def test_ways_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "WAYS", 5)

    def proof(at: Reasoning) -> None:
        n = at.whole("n")
        while n > 0:
            n -= 1

    with pytest.raises(NotProvedError, match="more than 5 ways"):
        every_way(proof)
