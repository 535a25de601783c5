"""`check`: which laws on which layers, sizes that a maker takes, the same run every time."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch import ReLU
from bendtorch.errors import ConfigError, LawError, ShapeError
from bendtorch.laws import LAWS, check, examine
from bendtorch.laws.check import Source, chosen
from tests.support.mutants import EXPECTED, affine, mutant
from tests.support.process import ROOT

relu: Any = ReLU


@pytest.mark.parametrize("fault", EXPECTED)
def test_every_fault_is_found_by_the_law_one_expects(fault: str) -> None:
    with pytest.raises(LawError, match=f"breaks {EXPECTED[fault]} "):
        check(mutant(fault))


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    report = check(affine)
    assert report.applied == tuple(law.number for law in LAWS)
    assert all(outcome.cases >= 80 for outcome in report.outcomes)


def test_every_law_has_a_fault_that_it_must_find() -> None:
    assert set(EXPECTED.values()) == {law.number for law in LAWS}
    assert [law.number for law in LAWS] == sorted(law.number for law in LAWS)


def test_laws_are_picked_by_number() -> None:
    numbers = [law.number for law in LAWS]
    assert [law.number for law in chosen(None, ())] == numbers
    assert [law.number for law in chosen("L33", ())] == ["L33"]
    assert [law.number for law in chosen(["L48", "L24"], ())] == ["L24", "L48"]
    assert [law.number for law in chosen(None, "L24")] == numbers[1:]
    assert [law.number for law in chosen(["L24", "L25"], ["L25"])] == ["L24"]
    for only, skip in (("L1", ()), (None, "24"), (["L24", "l25"], ())):
        with pytest.raises(ConfigError, match=r"there is no law '.*' to check; there are L24, L25"):
            chosen(only, skip)


def test_sizes_are_the_parameters_without_defaults() -> None:
    def maker(n: int, c: int, eps: float = 1.0, *, more: int = 2) -> Any:
        return relu(n, c)

    assert Source(maker).names == ("n", "c")
    assert str(Source(maker)) == "maker(n, c)"
    assert str(Source(lambda n: relu(n, 2))) == "the layer(n)"
    assert str(Source(relu(2, 3))) == "ReLU(2, 3)"
    assert Source(relu(2, 3)).names == ()


def test_sizes_go_from_nothing_to_odd_ones_and_only_the_batch_is_empty() -> None:
    seen = set()

    def maker(n: int, c: int) -> Any:
        seen.add((n, c))
        return relu(n, c)

    check(maker, only="L33")
    assert {n for n, _ in seen} == {0, 1, 2, 3, 5, 8}
    assert {c for _, c in seen} == {1, 2, 3, 4, 5, 8}


def test_sizes_that_the_maker_refuses_are_drawn_again() -> None:
    def even(n: int, c: int) -> Any:
        if c % 2:
            raise ShapeError("c must be even")
        return relu(n, c)

    (outcome,) = check(even, only="L33").outcomes
    assert outcome.cases == 100

    def never(n: int) -> Any:
        raise ConfigError("not today")

    with pytest.raises(ConfigError, match=r"laws: never\(n\) refuses every size .*: not today"):
        check(never)


def test_a_run_is_the_same_every_time() -> None:
    one, two = (examine(mutant("g is overwritten")) for _ in range(2))
    assert str(one) == str(two)


@pytest.mark.parametrize("cases", [0, -1, 2.0, True])
def test_the_number_of_cases(cases: Any) -> None:
    with pytest.raises(ConfigError, match="cases must be an int of at least 1"):
        check(relu(2, 3), cases=cases)
    assert check(relu(2, 3), only="L33", cases=3).outcomes[0].cases == 3


def test_every_law_is_in_the_documents() -> None:
    text = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| L")]
    assert rows == [f"| {law.number} | {law.name} | {law.statement} | {law.strength} | {law.when} |" for law in LAWS]
