"""Theorems: what is not so is not proved, and the terms that differ are shown."""

from __future__ import annotations

from collections.abc import Iterator

from bendtorch.laws.proofs import COMPOSITION
from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import one
from bendtorch.laws.proofs.theorem import Sides, Theorem
from tests.support.planted import FAULTS, planted


def test_a_refutation_shows_the_differing_terms() -> None:
    fault = FAULTS[0]
    verdict = next(t.verdict(planted(fault)) for t in COMPOSITION if t.law == "L4")
    assert str(verdict) == (
        "L4 B of f;g is B_f(x, B_g(F x, d)): not proved\n"
        "B of f;g and B_f(x, B_g(F(x), dy))\n"
        "in dx:\n"
        "  one side    f.dx(p_f, f.s(p_f, x), dy)\n"
        "  the other   f.dx(p_f, f.s(p_f, x), g.dx(p_g, g.s(p_g, f(p_f, x)), dy))\n"
        "  they differ in argument 3 of f.dx: dy is not g.dx(p_g, g.s(p_g, f(p_f, x)), dy)"
    )


def _of(sides: list[Sides]) -> Theorem:
    def given(s: Setting) -> Iterator[Sides]:
        yield from sides

    return Theorem("L0", "a statement", given)


def test_a_theorem_that_compares_nothing_is_not_proved() -> None:
    verdict = _of([]).verdict()
    assert not verdict.proved
    assert str(verdict) == "L0 a statement: not proved\nnothing was compared"


def test_equal_and_unequal_sides() -> None:
    x, y = {"y": one("x")}, {"y": one("y")}
    verdict = _of([("x and x", x, x), ("x and x again", x, dict(x))]).verdict()
    assert (verdict.proved, verdict.compared) == (True, 2)
    assert str(verdict) == "L0 a statement: proved for all layers"
    verdict = _of([("x and x", x, x), ("x and y", x, y)]).verdict()
    assert (verdict.proved, verdict.compared) == (False, 2)


def test_an_error_refutes() -> None:
    def broken(s: Setting) -> Iterator[Sides]:
        yield "nothing", {}, {}
        raise ValueError("what is this?")

    verdict = Theorem("L0", "a statement", broken).verdict()
    assert not verdict.proved
    assert "ValueError: what is this?" in str(verdict)
