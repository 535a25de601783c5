"""`@law_suite`: a test for each law, which fails, passes or is skipped as the law does."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch import ReLU
from bendtorch.errors import ConfigError
from bendtorch.laws import law_suite
from bendtorch.laws.catalogue import laws_of
from bendtorch.laws.suite import items_of, judge
from tests.support.mutants import mutant

relu: Any = ReLU
calls: list[str] = []


PARAMETERS = ("L32", "L39", "L40", "L44", "L49")  # laws of those, of which ReLU has none


@law_suite(relu, skip=("L31", *PARAMETERS), cases=20)
def test_relu() -> None:
    """ReLU obeys its laws."""
    calls.append("relu")


def test_each_law_was_a_test() -> None:
    expected = [number for number in laws_of("ReLU") if number not in ("L31", *PARAMETERS)]
    marks = [mark for mark in test_relu.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    assert [value.id for value in marks[0].args[1]] == expected
    assert (test_relu.__name__, test_relu.__doc__) == ("test_relu", "ReLU obeys its laws.")
    assert test_relu.__module__ == __name__


def test_what_is_decorated_is_done_before_the_law() -> None:
    before = len(calls)
    ((_, run),) = items_of(relu, only="L33", cases=3)
    test_relu(run)
    assert len(calls) == before + 1


def outcome(maker: Any, number: str) -> None:
    ((name, run),) = items_of(maker, only=number, cases=20)
    assert name == number
    judge(run)


def test_a_broken_law_fails_with_its_paragraph() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"^Affine\(.*\) breaks L32 ") as raised:
        outcome(mutant("g is overwritten"), "L32")
    assert not raised.value.pytrace


def test_a_law_that_does_not_apply_is_skipped_with_the_reason() -> None:
    with pytest.raises(pytest.skip.Exception, match=r"^L32 does not apply: it has no parameters$"):
        outcome(relu, "L32")
    outcome(relu, "L33")


@pytest.mark.parametrize("options", [{"only": "L99"}, {"cases": 0}, {"seed": -1}])
def test_what_cannot_be_checked_is_one_test_that_says_so(options: Any) -> None:
    ((name, run),) = items_of(relu, **options)
    assert name == "laws"
    with pytest.raises(ConfigError, match=r"^laws: "):
        judge(run)


def test_a_maker_that_refuses_everything_is_one_test_that_says_so() -> None:
    def never(n: int) -> Any:
        raise ConfigError("not today")

    ((_, run),) = items_of(never)
    with pytest.raises(ConfigError, match=r"refuses every size .*: not today"):
        judge(run)
