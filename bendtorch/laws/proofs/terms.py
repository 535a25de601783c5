"""Terms: what a proof computes with in place of numbers.

A value is a sum of terms with their counts: `2·d + f.dx(p, s, dy)`. Sums are kept sorted, without zeros, so that two
values are equal if and only if they are the same sum, whatever the order in which it was taken: addition is associative
and commutative, and zero is its unit. A term is an unknown (`x`), or an unknown function of values (`f(p, x)`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Term:
    """An unknown, or an unknown function of values."""

    head: str
    arguments: tuple[Value, ...] = ()

    def __str__(self) -> str:
        return f"{self.head}({', '.join(map(show, self.arguments))})" if self.arguments else self.head


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of different terms, each with a count that is not zero, in the order of their texts."""

    parts: tuple[tuple[Term, Fraction], ...] = ()

    def __add__(self, other: Sum) -> Sum:
        return total((*self.parts, *other.parts))

    def __str__(self) -> str:
        shown = [f"{'' if count == 1 else f'{count}·'}{term}" for term, count in self.parts]
        return " + ".join(shown) or "0"


Value: TypeAlias = Sum | tuple["Value", ...]
"""A sum, or a tuple of values."""

ZERO: Final = Sum()


def total(parts: Iterable[tuple[Term, Fraction | int]]) -> Sum:
    """The normal form of a sum."""
    counts: dict[Term, Fraction] = {}
    for term, count in parts:
        counts[term] = counts.get(term, Fraction(0)) + count
    return Sum(tuple(sorted(((t, c) for t, c in counts.items() if c), key=lambda part: str(part[0]))))


def one(head: str, *arguments: Value) -> Sum:
    """The value that is one term."""
    return Sum(((Term(head, arguments), Fraction(1)),))


def show(value: Value) -> str:
    """A value as text."""
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))})"
    return str(value)


def sums_in(value: Value) -> Iterator[Sum]:
    """The sums in tuples, in order."""
    if isinstance(value, Sum):
        yield value
    else:
        for part in value:
            yield from sums_in(part)


@dataclass(frozen=True)
class Difference:
    """Two values that differ, and the smallest values inside of them that do, with the way there."""

    place: str
    one: Value
    other: Value

    def __str__(self) -> str:
        way, a, b = smallest(self.one, self.other)
        lines = [f"in {self.place}:", f"  one side    {show(self.one)}", f"  the other   {show(self.other)}"]
        if way:
            lines.append(f"  they differ in {', in '.join(way)}: {show(a)} is not {show(b)}")
        return "\n".join(lines)


def smallest(a: Value, b: Value) -> tuple[list[str], Value, Value]:
    """Where two values differ, as deep inside as there is one such place; what stands there."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return _among("part", a, b) or ([], a, b)
    if isinstance(a, Sum) and isinstance(b, Sum):
        left, right = total((*a.parts, *_negated(b))), total((*b.parts, *_negated(a)))
        mine = [term for term, count in left.parts if count > 0]
        theirs = [term for term, count in right.parts if count > 0]
        if len(mine) == len(theirs) == 1 and mine[0].head == theirs[0].head:
            found = _among("argument", mine[0].arguments, theirs[0].arguments)
            if found is not None:
                return [f"{found[0][0]} of {mine[0].head}", *found[0][1:]], found[1], found[2]
    return [], a, b


def _negated(a: Sum) -> tuple[tuple[Term, Fraction], ...]:
    return tuple((term, -count) for term, count in a.parts)


def _among(what: str, a: tuple[Value, ...], b: tuple[Value, ...]) -> tuple[list[str], Value, Value] | None:
    """The one place of two tuples where they differ, and where inside of it."""
    if len(a) != len(b):
        return None
    places = [i for i, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
    if len(places) != 1:
        return None
    way, left, right = smallest(a[places[0]], b[places[0]])
    return [f"{what} {places[0] + 1}", *way], left, right


def differences(one_side: Mapping[str, Value], other: Mapping[str, Value]) -> list[Difference]:
    """Where two sides of a law differ: each is a set of named values."""
    nothing = one("nothing")
    places = [*one_side, *(name for name in other if name not in one_side)]
    pairs = ((name, one_side.get(name, nothing), other.get(name, nothing)) for name in places)
    return [Difference(name, a, b) for name, a, b in pairs if a != b]
