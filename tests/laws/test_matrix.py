"""The matrix: a row for each law, a column for each layer, what a cell says, the last line."""

from __future__ import annotations

from typing import Any

from bendtorch import CrossEntropy, ReLU
from bendtorch.laws import examine
from bendtorch.laws.matrix import explained, mark, rows, verdict
from tests.support.mutants import mutant

relu: Any = ReLU
entropy: Any = CrossEntropy
REPORTS = [
    examine(relu, only=["L24", "L32", "L33"], cases=5),
    examine(mutant("g is overwritten"), only=["L32", "L33"], cases=5),
    examine(entropy, only=["L31", "L33"], cases=5),
]
ROWS = {(number, name): outcomes for number, name, outcomes in rows(REPORTS)}


def test_rows_are_in_the_order_of_numbers() -> None:
    assert [number for number, _ in ROWS] == ["L24", "L31", "L32", "L33"]


def test_signs() -> None:
    assert {number: [mark(outcome) for outcome in outcomes] for (number, _), outcomes in ROWS.items()} == {
        "L24": ["≈", "", ""],
        "L31": ["", "", "≈"],
        "L32": ["·", "✗", ""],
        "L33": ["=", "=", "="],
    }


def test_cells_at_length() -> None:
    said = [explained(outcome) for outcomes in ROWS.values() for outcome in outcomes if outcome is not None]
    assert "close on 5 cases" in said
    assert "exact on 5 cases" in said
    assert "does not apply: it has no parameters" in said
    assert "broken, on case 2" in said


def test_two_laws_of_one_number_have_a_row_each() -> None:
    both = list(rows([examine(relu, only="L31", cases=3), REPORTS[2]]))
    assert [number for number, _, _ in both] == ["L31", "L31", "L33"]


def test_the_last_line() -> None:
    assert verdict(REPORTS) == "5 laws hold, 1 broken (3 layers)"
    assert verdict(REPORTS[:1]) == "all 2 laws hold (1 layer)"
