"""Terms: sums have one normal form, differences show the smallest terms that differ."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.laws.proofs.terms import ZERO, Sum, Term, differences, one, show, smallest, sums_in, total

sums = st.lists(st.tuples(st.sampled_from("abc").map(Term), st.integers(-2, 2))).map(total)


@given(sums, sums, sums)
def test_sums_are_a_commutative_monoid(a: Sum, b: Sum, c: Sum) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + ZERO == a
    assert all(count != 0 for _, count in (a + b).parts)


@given(st.dictionaries(st.sampled_from("abc"), st.integers(-2, 2)))
def test_sums_are_equal_when_their_counts_are(counts: dict[str, int]) -> None:
    pairs = [(Term(name), count) for name, count in counts.items()]
    assert total(pairs) == total(reversed(pairs))
    kept = {term.head: count for term, count in total(pairs).parts}
    assert kept == {name: count for name, count in counts.items() if count}


def test_texts() -> None:
    x, y = one("x"), one("y")
    assert show(one("f", x + x, (x, ()))) == "f(2·x, (x, ()))"
    assert str(y + x + total([(Term("y"), Fraction(1, 2))])) == "x + 3/2·y"
    assert str(ZERO) == "0"
    assert list(sums_in((x, ((), y)))) == [x, y]


def test_the_smallest_difference() -> None:
    x, y, z = one("x"), one("y"), one("z")
    way, a, b = smallest(one("f", x, one("g", x, y)) + z, one("f", x, one("g", x, z)) + z)
    assert (way, a, b) == (["argument 2 of f", "argument 2 of g"], y, z)
    way, a, b = smallest((x, one("f", x)), (x, one("f", y)))
    assert (way, a, b) == (["part 2", "argument 1 of f"], x, y)
    whole = one("f", x, y), one("f", y, x)
    assert smallest(*whole) == ([], *whole)
    assert smallest(one("f", x), one("g", x)) == ([], one("f", x), one("g", x))
    assert smallest((x,), (x, y)) == ([], (x,), (x, y))


def test_differences_of_sides() -> None:
    x, y = one("x"), one("y")
    assert differences({"y": x, "dx": y}, {"dx": y, "y": x}) == []
    (found,) = differences({"y": x}, {"y": x, "dx": y})
    assert (found.place, found.other) == ("dx", y)
    assert "one side    nothing" in str(found)
