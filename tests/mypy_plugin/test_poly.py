"""The arithmetic of sizes: a ring in normal form, with floor division."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bendtorch.mypy_plugin.poly import Atom, Poly, quotient_parts
from bendtorch.mypy_plugin.size_text import evaluate, names_in, parse_size

NAMES = ("a", "b", "c")
ATOMS = {name: Atom("var", name, name) for name in NAMES}
ZERO, ONE = Poly.number(0), Poly.number(1)

numbers = st.integers(-6, 6)
monomials = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda names: tuple(sorted(ATOMS[n] for n in names)))
polys = st.lists(st.tuples(monomials, numbers), max_size=4).map(Poly.of)
points = st.fixed_dictionaries({name: st.integers(1, 40) for name in NAMES})
divisors = polys.filter(lambda p: bool(p.terms))


@st.composite
def with_quotients(draw: st.DrawFn) -> Poly:
    """A polynomial in which floor quotients occur."""
    first, second, third = draw(polys), draw(divisors), draw(polys)
    return third * (first // second) + draw(polys)


def at(poly: Poly, point: Mapping[str, int]) -> int:
    """The value of a polynomial, worked out by Python's own arithmetic."""
    total = 0
    for monomial, factor in poly.terms:
        product = factor
        for atom in monomial:
            parts = quotient_parts(atom)
            product *= point[atom.key] if parts is None else at(parts[0], point) // at(parts[1], point)
        total += product
    return total


def parsed(text: str) -> Poly:
    tree = parse_size(text)
    assert tree is not None, text
    return evaluate(tree, lambda name: Poly.atom(ATOMS[name]))


# ---- a commutative ring
@given(polys, polys, polys)
def test_ring_laws(x: Poly, y: Poly, z: Poly) -> None:
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x * y == y * x
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x + ZERO == x == x * ONE
    assert x * ZERO == ZERO == x - x


@given(polys, polys, points)
def test_operations_agree_with_integers(x: Poly, y: Poly, point: dict[str, int]) -> None:
    assert at(x + y, point) == at(x, point) + at(y, point)
    assert at(x - y, point) == at(x, point) - at(y, point)
    assert at(x * y, point) == at(x, point) * at(y, point)
    assert at(-x, point) == -at(x, point)


@given(polys, divisors, points)
def test_floor_division_agrees_with_integers(x: Poly, y: Poly, point: dict[str, int]) -> None:
    assume(at(y, point) != 0)
    assert at(x // y, point) == at(x, point) // at(y, point)


# ---- normal form
@given(polys, polys)
def test_equal_exactly_when_equal_as_functions(x: Poly, y: Poly) -> None:
    # No more than degree 3 in each of the 3 variables, so a grid of 4 points a side tells two polynomials apart.
    grid = [dict(zip(NAMES, (i, j, k), strict=True)) for i in range(4) for j in range(4) for k in range(4)]
    assert (x == y) == all(at(x, point) == at(y, point) for point in grid)
    assert (x == y) == (x.key == y.key)
    if x == y:
        assert hash(x) == hash(y)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(c + 1)*a - a", "a*c"),
        ("(a + b)*(a - b)", "a*a - b*b"),
        ("(a*b)//a", "b"),
        ("(a*a - b*b)//(a - b)", "a + b"),
        ("(4*a + 6)//4", "a + 1"),
        ("(2*a)//4", "a//2"),
        ("(2*a*b)//(4*b)", "a//2"),
        ("(a*b + 7)//a", "b + 7//a"),
        ("a//(-2)", "(-a)//2"),
        ("7//2", "3"),
        ("(-7)//2", "-4"),
        ("0//a", "0"),
        ("a - a", "0"),
    ],
)
def test_written_in_two_ways(one: str, other: str) -> None:
    assert parsed(one) == parsed(other)


@pytest.mark.parametrize(("one", "other"), [("a//2", "a"), ("2*(a//2)", "a"), ("a*b", "a + b"), ("a//b", "b//a")])
def test_different_sizes(one: str, other: str) -> None:
    assert parsed(one) != parsed(other)


# ---- exact division
@given(polys, divisors)
def test_a_product_divides_exactly(x: Poly, y: Poly) -> None:
    assert (x * y).exact_quotient(y) == x
    assert (x * y) // y == x


@given(polys, divisors)
def test_an_exact_quotient_multiplies_back(x: Poly, y: Poly) -> None:
    quotient = x.exact_quotient(y)
    if quotient is not None:
        assert quotient * y == x


@given(polys)
def test_division_by_zero(x: Poly) -> None:
    with pytest.raises(ZeroDivisionError):
        _ = x // ZERO


# ---- numbers and atoms
@given(numbers)
def test_numbers(value: int) -> None:
    assert Poly.number(value).value == value
    assert str(Poly.number(value)) == str(value)


def test_value_and_atoms() -> None:
    assert parsed("a + 1").value is None
    assert parsed("a*b + 2*c").atoms == frozenset(ATOMS.values())
    assert quotient_parts(ATOMS["a"]) is None
    (quotient,) = parsed("a//2").atoms
    assert quotient_parts(quotient) == (parsed("a"), parsed("2"))


def test_atoms_are_known_by_kind_and_key() -> None:
    assert Atom("var", "a", "one label") == Atom("var", "a", "another", payload=3)
    assert Atom("var", "a", "a") != Atom("new-type", "a", "a")


# ---- text
@given(polys | with_quotients())
def test_what_is_shown_parses_back(x: Poly) -> None:
    assert parsed(str(x)) == x


@given(with_quotients(), points)
def test_python_reads_what_is_shown_as_the_same_number(x: Poly, point: dict[str, int]) -> None:
    try:
        wanted = at(x, point)
    except ZeroDivisionError:
        assume(False)
    assert eval(str(x), {}, dict(point)) == wanted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("D*4", "4*D"),
        ("2*(I + I)", "4*I"),
        ("1 + N", "N + 1"),
        ("-N + 3", "3 - N"),
        ("N - 2*M", "N - 2*M"),
        ("(N + 1)//2", "(N + 1)//2"),
        ("8*(D//8)", "8*(D//8)"),
        ("D//(2*H)", "D//(2*H)"),
        ("-(D//3)", "-(D//3)"),
        ("0*N", "0"),
    ],
)
def test_how_sizes_are_shown(text: str, shown: str) -> None:
    tree = parse_size(text)
    assert tree is not None
    assert str(evaluate(tree, lambda name: Poly.atom(Atom("var", name, name)))) == shown


def test_names_of_ones_own() -> None:
    assert parsed("a*b//2 + c").show({ATOMS["a"]: "heads", ATOMS["c"]: "n"}) == "heads*b//2 + n"


@pytest.mark.parametrize(
    "text", ["", "4*", "a**2", "a/b", "max(a, b)", "2.5", "'a'", "a if b else c", "a, b", "True", "+a"]
)
def test_what_is_no_size(text: str) -> None:
    assert parse_size(text) is None
    assert names_in(text) == []


def test_names() -> None:
    assert names_in("4*dims.N + (M - N)//2") == ["dims.N", "M", "N"]
    with pytest.raises(ValueError, match="not a size"):
        evaluate(ast.parse("[1]", mode="eval").body, lambda _: ONE)
