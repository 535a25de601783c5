"""Whole numbers of any size: the index functions that ship are run on them as they are, and an SMT solver judges.

A `Whole` is a number that is not known. Sums, products and quotients of such numbers are numbers; a comparison is a
bool, as Python's `if`, `min` and `while` want it. Where what is known does not decide it, it is both, one after the
other: a proof is run again for every way through its branches (`every_way`), each time knowing more. What a proof
claims must hold on each way; where it does not, the solver gives numbers for which it is false.

A quotient by an unknown number is the q of `a = q·b + r, 0 <= r < b`, which is Python's `//` for b above 0.

z3 is needed for these proofs alone: `pip install bendtorch[proofs]`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from bendtorch.errors import BendError

SHORT: Final = 1_000_000  # steps of the solver for a question whose answer is not needed
LONG: Final = 20_000_000  # and for one on which a proof hangs
WAYS: Final = 1000  # through the branches of one proof, at most

Number: TypeAlias = "Whole | int"


class NotProvedError(BendError):
    """A claim that does not hold, with numbers for which it is false, or that the solver cannot decide."""


def solver() -> Any:
    """The package z3. Raises `NotProvedError` where it is not installed."""
    try:
        return importlib.import_module("z3")
    except ImportError:
        raise NotProvedError(
            "index laws are proved by z3, which is not installed: pip install bendtorch[proofs]"
        ) from None


class Reasoning:
    """What is known on one way through a proof: facts about unknown numbers."""

    def __init__(self, turns: list[bool] | None = None) -> None:
        self.z3 = solver()
        self.facts: list[Any] = []
        self.unknowns: list[tuple[str, Any]] = []
        self.turns = [] if turns is None else turns  # what was decided where both were possible
        self.decided = 0
        self.claims = 0
        self._quotients: dict[tuple[Any, Any], tuple[Whole, Whole]] = {}

    # Unknown numbers.

    def whole(self, name: str, least: Number = 0, below: Number | None = None) -> Whole:
        """An unknown number of at least `least`, and below `below` if it is given."""
        unknown = Whole(self, self.z3.Int(name))
        self.unknowns.append((name, unknown.term))
        self.facts.append(unknown.term >= _term(least))
        if below is not None:
            self.facts.append(unknown.term < _term(below))
        return unknown

    def wholes(self, names: str, least: Number = 0) -> Iterator[Whole]:
        """Several, by their names."""
        return (self.whole(name, least) for name in names.split())

    def divided(self, a: Whole, b: Number) -> tuple[Whole, Whole]:
        """a // b and a % b, for a b above 0."""
        if not b > 0:
            raise NotProvedError(f"a divisor is not above 0 {self.example().said}")
        key = a.term, _term(b)
        if key not in self._quotients:
            names = (f"quotient {len(self._quotients)}", f"remainder {len(self._quotients)}")
            q, r = (Whole(self, self.z3.Int(name)) for name in names)
            self.facts += [a.term == q.term * _term(b) + r.term, r.term >= 0, r.term < _term(b)]
            self.facts.append(self.z3.Implies(a.term >= 0, self.z3.And(q.term >= 0, q.term <= a.term)))
            self._quotients[key] = q, r
        return self._quotients[key]

    # What is known, what is asked.

    def assume(self, condition: bool) -> None:
        """Go on only where this holds."""
        if not condition:
            raise _NothingToProve

    def claim(self, what: str, condition: bool) -> None:
        """This must hold; it is known from here on. Raises `NotProvedError` with numbers for which it does not."""
        self.claims += 1
        if not condition:
            raise NotProvedError(f"{what}: not so {self.example().said}")

    def equal(self, what: str, one: Any, other: Any) -> None:
        """These must be equal, number by number in tuples."""
        self.claims += 1
        if one != other:
            example = self.example()
            raise NotProvedError(f"{what}: {example.shown(one)} is not {example.shown(other)} {example.said}")

    def decide(self, condition: Any) -> bool:
        """Whether a condition holds; where both may be, as it is this way's turn."""
        opposite = self.z3.Not(condition)
        if self._ask(SHORT, opposite)[0] == self.z3.unsat:
            holds = True
        elif self._ask(SHORT, condition)[0] == self.z3.unsat:
            holds = False
        else:
            if self.decided == len(self.turns):
                self.turns.append(False)  # first: where it is a claim, this is what refutes it
            holds = self.turns[self.decided]
            self.decided += 1
        self.facts.append(condition if holds else opposite)
        return holds

    def _ask(self, steps: int, *conditions: Any) -> tuple[Any, Any]:
        """Whether there are numbers for which all that is known holds, and these conditions; and such numbers."""
        asked = self.z3.Solver()
        asked.set("rlimit", steps)  # not a time: the answer must not depend on what else the machine does
        asked.add(*self.facts, *conditions)
        answer = asked.check()
        return answer, asked.model() if answer == self.z3.sat else None

    def example(self) -> Example:
        """Numbers for which all holds that is known here, small ones if there are any.

        Where there are none this way is at its end: no numbers come it. Raises `NotProvedError` when the solver cannot
        decide.
        """
        for most in (2, 4, 8, 40, 200):
            model = self._ask(SHORT, *(term <= most for _, term in self.unknowns))[1]
            if model is not None:
                return Example(model, self.unknowns)
        answer, model = self._ask(LONG)
        if answer == self.z3.unsat:
            raise _NothingToProve
        if model is None:
            raise NotProvedError("the solver can neither prove nor refute it")
        return Example(model, self.unknowns)


class Example:
    """Numbers that refute a claim."""

    def __init__(self, model: Any, unknowns: list[tuple[str, Any]]) -> None:
        self.model = model
        self.said = "for " + ", ".join(f"{name} = {self._number(term)}" for name, term in unknowns)

    def shown(self, value: Any) -> str:
        """A number of the example, or a tuple of them."""
        if isinstance(value, tuple):
            return f"({', '.join(map(self.shown, value))})"
        return self._number(value.term) if isinstance(value, Whole) else str(value)

    def _number(self, term: Any) -> str:
        return str(self.model.evaluate(term, model_completion=True))


class _NothingToProve(Exception):  # noqa: N818  it is no error: this way is at its end
    """A way that no numbers come, or that is not meant."""


class Whole:
    """A whole number that is not known. `==` and `<` give bools, so it may not be a key of a dict."""

    __slots__ = ("known", "term")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, known: Reasoning, term: Any) -> None:
        self.known, self.term = known, term

    def __repr__(self) -> str:
        return str(self.term)

    def __add__(self, other: Number) -> Whole:
        return Whole(self.known, self.term + _term(other))

    def __sub__(self, other: Number) -> Whole:
        return Whole(self.known, self.term - _term(other))

    def __rsub__(self, other: Number) -> Whole:
        return Whole(self.known, _term(other) - self.term)

    def __mul__(self, other: Number) -> Whole:
        return Whole(self.known, self.term * _term(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Whole:
        return Whole(self.known, -self.term)

    def __floordiv__(self, other: Number) -> Whole:
        return self.known.divided(self, other)[0]

    def __rfloordiv__(self, other: int) -> Whole:
        return self.known.divided(Whole(self.known, self.known.z3.IntVal(other)), self)[0]

    def __mod__(self, other: Number) -> Whole:
        return self.known.divided(self, other)[1]

    def __lt__(self, other: Number) -> bool:
        return self.known.decide(self.term < _term(other))

    def __le__(self, other: Number) -> bool:
        return self.known.decide(self.term <= _term(other))

    def __gt__(self, other: Number) -> bool:
        return self.known.decide(self.term > _term(other))

    def __ge__(self, other: Number) -> bool:
        return self.known.decide(self.term >= _term(other))

    def __eq__(self, other: object) -> bool:
        return self.known.decide(self.term == _term(other))

    def __ne__(self, other: object) -> bool:
        return self.known.decide(self.term != _term(other))

    def __bool__(self) -> bool:
        return self.known.decide(self.term != 0)


def _term(value: Any) -> Any:
    return value.term if isinstance(value, Whole) else value


def every_way(proof: Callable[[Reasoning], None]) -> int:
    """Run a proof on every way through its branches; gives how many claims were proved. Raises `NotProvedError`."""
    turns: list[bool] | None = []
    claims, meant = 0, False
    for _ in range(WAYS):
        way = Reasoning(turns)
        try:
            proof(way)
            claims += way.claims
            if not meant:
                way.example()
                meant = True
        except _NothingToProve:
            pass
        turns = _next(way.turns)
        if turns is None:
            if not meant:
                raise NotProvedError("no numbers are as the proof assumes")
            return claims
    raise NotProvedError(f"there are more than {WAYS} ways through the branches of this proof")


def _next(turns: list[bool]) -> list[bool] | None:
    """The turns of the next way: the last that was not yet taken the other way. None after the last way."""
    while turns and turns[-1]:
        turns = turns[:-1]
    return [*turns[:-1], True] if turns else None
