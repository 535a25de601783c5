"""Sizes as polynomials in normal form: the arithmetic behind `"4*D"`, and nothing of mypy.

A size is a polynomial with integer coefficients over *atoms*: dimension variables, numbers known only at run time,
`NewType`s, and floor quotients that do not come out even. Equal polynomials are equal objects, whatever way they were
written: `(c + 1)*d - d` is `c*d`, `(d + m)*(d - m)` is `d*d - m*m`, `(h*d)//h` is `d`.

A floor quotient stays an atom when the division is not exact, after everything that can be taken out of it has been:
`(4*d + 6)//4` is `d + 1`, `(2*d)//4` is `d//2`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, order=True)
class Atom:
    """A size that cannot be taken apart. Atoms are equal when `kind` and `key` are.

    `label` is what the user calls it; `payload` is the caller's own (the plugin keeps the mypy type there).
    """

    kind: str
    key: str
    label: str = field(compare=False)
    payload: object = field(compare=False, default=None, repr=False)


Monomial = tuple[Atom, ...]  # sorted, an atom as often as its exponent says
Names = Mapping[Atom, str]
NO_NAMES: Final[Names] = {}


@dataclass(frozen=True)
class Poly:
    """A polynomial: pairs of a monomial and its coefficient (never 0), the highest degree first."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, int]]) -> Poly:
        """The normal form of a sum of terms."""
        total: dict[Monomial, int] = {}
        for monomial, factor in terms:
            total[monomial] = total.get(monomial, 0) + factor
        return Poly(tuple(sorted(((m, c) for m, c in total.items() if c), key=_order)))

    @staticmethod
    def number(value: int) -> Poly:
        """A constant."""
        return Poly((((), value),) if value else ())

    @staticmethod
    def atom(atom: Atom) -> Poly:
        """One atom, once."""
        return Poly((((atom,), 1),))

    def __add__(self, other: Poly) -> Poly:
        return Poly.of((*self.terms, *other.terms))

    def __neg__(self) -> Poly:
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Poly) -> Poly:
        return self + -other

    def __mul__(self, other: Poly) -> Poly:
        return Poly.of((tuple(sorted(m + k)), c * d) for m, c in self.terms for k, d in other.terms)

    def __floordiv__(self, other: Poly) -> Poly:
        return _floor_quotient(self, other)

    def __str__(self) -> str:
        return self.show()

    @property
    def value(self) -> int | None:
        """The number that this is, if it is one."""
        if not self.terms:
            return 0
        monomial, factor = self.terms[0]
        return None if monomial else factor

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atoms that occur, those inside of floor quotients not counted."""
        return frozenset(atom for monomial, _ in self.terms for atom in monomial)

    @property
    def all_atoms(self) -> frozenset[Atom]:
        """The atoms that occur, those inside of floor quotients too."""
        inside = [part.all_atoms for atom in self.atoms for part in quotient_parts(atom) or ()]
        return self.atoms.union(*inside)

    @property
    def key(self) -> str:
        """A text that is equal for equal polynomials, and for no others."""
        return " + ".join(f"{c}*{'*'.join(f'<{a.kind} {a.key}>' for a in m)}" for m, c in self.terms)

    def show(self, names: Names = NO_NAMES) -> str:
        """The polynomial as a user writes it, atoms under their own label or the one that `names` gives them."""
        text = ""
        for monomial, factor in sorted(self.terms, key=lambda term: term[1] < 0):  # what is taken away comes last
            term = _show_term(monomial, abs(factor) if text else factor, names)
            text += (" + " if factor > 0 else " - ") * bool(text) + term
        return text or "0"

    def exact_quotient(self, divisor: Poly) -> Poly | None:
        """`q` with `q*divisor == self`, or None when there is none. The divisor must not be 0.

        Long division by leading terms: each step takes the highest term away, so it ends; it fails as soon as a
        leading term cannot be divided, which happens exactly when the divisor does not divide.
        """
        lead, lead_factor = divisor.terms[0]
        quotient, rest = Poly(()), self
        while rest.terms:
            monomial, factor = rest.terms[0]
            left = _without(monomial, lead)
            if left is None or factor % lead_factor:
                return None
            step = Poly(((left, factor // lead_factor),))
            quotient, rest = quotient + step, rest - step * divisor
        return quotient


def _order(term: tuple[Monomial, int]) -> tuple[int, Monomial]:
    """Highest degree first, then by name: an order that multiplication keeps, as long division needs."""
    return -len(term[0]), term[0]


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial with the divisor's atoms taken out, or None when they are not all there."""
    left = Counter(monomial)
    left.subtract(divisor)
    return None if min(left.values(), default=0) < 0 else tuple(sorted(left.elements()))


def _floor_quotient(dividend: Poly, divisor: Poly) -> Poly:
    """`dividend // divisor`. Raises `ZeroDivisionError` for the divisor 0."""
    if not divisor.terms:
        raise ZeroDivisionError("a size divided by 0")
    exact = dividend.exact_quotient(divisor)
    if exact is not None:
        return exact
    whole, rest = _take_out(dividend, divisor)
    rest, divisor = _cancel(rest, divisor)
    if not rest.terms:
        return whole
    over, under = rest.value, divisor.value
    if over is not None and under is not None:
        return whole + Poly.number(over // under)
    return whole + Poly.atom(_quotient_atom(rest, divisor))


def _take_out(dividend: Poly, divisor: Poly) -> tuple[Poly, Poly]:
    """`(q, r)` with `dividend == q*divisor + r`, as large a q as a divisor of one term allows."""
    if len(divisor.terms) != 1:
        return Poly(()), dividend
    ((monomial, factor),) = divisor.terms
    whole, rest = [], []
    for other, count in dividend.terms:
        left = _without(other, monomial)
        times, remains = (0, count) if left is None else divmod(count, factor)
        whole.append((left or (), times))
        rest.append((other, remains))
    return Poly.of(whole), Poly.of(rest)


def _cancel(dividend: Poly, divisor: Poly) -> tuple[Poly, Poly]:
    """Both without their common factors, and with a divisor whose leading coefficient is positive."""
    terms = (*dividend.terms, *divisor.terms)
    common = math.gcd(*(factor for _, factor in terms))
    shared = Counter(terms[0][0])
    for monomial, _ in terms:
        shared &= Counter(monomial)
    factor = Poly(((tuple(sorted(shared.elements())), common if divisor.terms[0][1] > 0 else -common),))
    over, under = dividend.exact_quotient(factor), divisor.exact_quotient(factor)
    return (dividend, divisor) if over is None or under is None else (over, under)


def _quotient_atom(dividend: Poly, divisor: Poly) -> Atom:
    """The atom of a division that is not exact; its payload is the pair."""
    return Atom("div", f"({dividend.key})//({divisor.key})", "", (dividend, divisor))


def quotient_parts(atom: Atom) -> tuple[Poly, Poly] | None:
    """Dividend and divisor of a floor quotient's atom; None for any other atom."""
    match atom:
        case Atom("div", payload=(Poly() as dividend, Poly() as divisor)):
            return dividend, divisor
    return None


def _show_term(monomial: Monomial, factor: int, names: Names) -> str:
    """One term; a floor quotient among other factors stands in parentheses, for // binds from the left."""
    factors = [_show_atom(atom, names) for atom in monomial]
    numbers = [str(factor)] if abs(factor) != 1 or not factors else []
    if len(factors) + len(numbers) > 1 or factor < 0:
        factors = [f"({text})" if quotient_parts(a) else text for a, text in zip(monomial, factors, strict=True)]
    return ("-" if factor == -1 and factors else "") + "*".join(numbers + factors)


def _show_atom(atom: Atom, names: Names) -> str:
    if atom in names:
        return names[atom]
    parts = quotient_parts(atom)
    if parts is None:
        return atom.label
    dividend, divisor = (part.show(names) for part in parts)
    return f"{in_parentheses(dividend, '+- ')}//{in_parentheses(divisor, '+-*/ ')}"


def in_parentheses(text: str, operators: str) -> str:
    """`text` in parentheses when it holds one of the operators."""
    return f"({text})" if any(sign in text for sign in operators) else text
