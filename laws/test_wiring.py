"""Wiring, arithmetic and the combinators: L2, L6 to L21, L23, L66; exact, but where sums reassociate."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import (
    Add2,
    Assoc,
    Both,
    Concat,
    Copy,
    Drop,
    Fork,
    Id,
    Linear,
    LinearNB,
    Mul2,
    Permute,
    Repeat,
    Reshape,
    Residual,
    Split,
    Swap,
    Tie,
)
from laws.cases import (
    AnyLayer,
    chains,
    close,
    columns,
    law,
    normal,
    parameters,
    rows,
    same,
    seeds,
    widths,
)


def run(layer: AnyLayer, seed: int) -> tuple[Any, Any, Any]:
    """Output, input gradient and parameter gradient of one pass both ways, on numbers that depend on the seed alone."""
    p, x = parameters(layer, seed), normal(layer.info.takes, seed + 1)
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, normal(layer.info.gives, seed + 2), layer.zeros())
    return forward.y, backward.dx, layer.dump(backward.g)


def rows_of(layer: AnyLayer) -> Any:
    """The rows that a layer works on."""
    spec: Any = layer.info.takes
    return spec.shape[0]


def identity(layer: AnyLayer, spec: Any) -> Any:
    """`Id` on what a layer takes or gives."""
    n: int = rows_of(layer)
    c = columns(spec)
    return Id(n, c)


@law
@given(chains(1), seeds)
def test_l2_the_identity_is_neutral(layers: list[AnyLayer], seed: int) -> None:
    (f,) = layers
    before, after = identity(f, f.info.takes), identity(f, f.info.gives)
    assert same(run(before >> f, seed), run(f, seed))
    assert same(run(f >> after, seed), run(f, seed))


@law
@given(rows, widths, widths, seeds)
def test_l6_both_identities_are_the_identity(n: int, a: int, b: int, seed: int) -> None:
    both = Both(Id(n, a), Id(n, b))
    x = normal(both.info.takes, seed)
    forward = both.fwd(both.zeros(), x)
    assert same(forward.y, x)
    assert same(both.bwd(both.zeros(), forward.s, x, both.zeros()).dx, x)


@law
@given(chains(2), chains(2), seeds)
def test_l7_interchange(first: list[AnyLayer], second: list[AnyLayer], seed: int) -> None:
    (f, g), (h, k) = first, second
    one, two = Both(f >> g, h >> k), Both(f, h) >> Both(g, k)
    pf, pg, ph, pk = (parameters(layer, seed + i) for i, layer in enumerate((f, g, h, k)))
    x, dy = normal(one.info.takes, seed + 5), normal(one.info.gives, seed + 6)
    left, right = one.fwd(((pf, pg), (ph, pk)), x), two.fwd(((pf, ph), (pg, pk)), x)
    assert same(left.y, right.y)
    back, forth = (
        one.bwd(((pf, pg), (ph, pk)), left.s, dy, one.zeros()),
        two.bwd(((pf, ph), (pg, pk)), right.s, dy, two.zeros()),
    )
    assert same(back.dx, forth.dx)
    (gf, gg), (gh, gk) = back.g
    assert same((gf, gh, gg, gk), forth.g)


@law
@given(chains(1), chains(1), chains(1), seeds)
def test_l8_both_is_associative(a: list[AnyLayer], b: list[AnyLayer], c: list[AnyLayer], seed: int) -> None:
    f, g, h = a[0], b[0], c[0]
    assert same(run(Both(Both(f, g), h), seed), run(Both(f, Both(g, h)), seed))


@law
@given(rows, widths, widths, seeds)
def test_l9_swapping_twice_is_the_identity(n: int, a: int, b: int, seed: int) -> None:
    assert same(run(Swap(n, a, b) >> Swap(n, b, a), seed), run(Both(Id(n, a), Id(n, b)), seed))


@law
@given(rows, widths, widths, widths, widths, seeds)
def test_l10_swap_is_natural(n: int, a: int, b: int, c: int, d: int, seed: int) -> None:
    f, g = Linear(n, a, b), Linear(n, c, d)
    p, q = parameters(f, seed), parameters(g, seed + 1)
    one, two = Both(f, g) >> Swap(n, b, d), Swap(n, a, c) >> Both(g, f)
    x, dy = normal(one.info.takes, seed + 2), normal(one.info.gives, seed + 3)
    left, right = one.fwd(((p, q), ()), x), two.fwd(((), (q, p)), x)
    assert same(left.y, right.y)
    back = one.bwd(((p, q), ()), left.s, dy, one.zeros())
    forth = two.bwd(((), (q, p)), right.s, dy, two.zeros())
    assert same(back.dx, forth.dx)
    assert same(back.g[0], (forth.g[1][1], forth.g[1][0]))


@law
@given(rows, widths, widths, widths, seeds)
def test_l11_a_fork_is_a_copy_and_both(n: int, i: int, a: int, b: int, seed: int) -> None:
    f, g = Linear(n, i, a), LinearNB(n, i, b)
    assert same(run(Fork(f, g), seed), run(Copy(n, i) >> Both(f, g), seed))


@law
@given(rows, widths, seeds)
def test_l12_copying_is_associative(n: int, c: int, seed: int) -> None:
    one = Copy(n, c) >> Both(Copy(n, c), Id(n, c)) >> Assoc(n, c, c, c)
    two = Copy(n, c) >> Both(Id(n, c), Copy(n, c))
    (y1, dx1, _), (y2, dx2, _) = run(one, seed), run(two, seed)
    assert same(y1, y2)
    assert close(dx1, dx2)


@law
@given(rows, widths, seeds)
def test_l13_copies_may_be_swapped(n: int, c: int, seed: int) -> None:
    assert same(run(Copy(n, c) >> Swap(n, c, c), seed), run(Copy(n, c), seed))


@law
@given(rows, widths, seeds)
def test_l14_a_copy_that_is_dropped_is_the_identity(n: int, c: int, seed: int) -> None:
    assert same(run(Copy(n, c) >> Both(Id(n, c), Drop(n, c)), seed), run(Id(n, c), seed))


@law
@given(rows, widths, seeds)
def test_l15_copy_adds_gradients_and_drop_gives_none(n: int, c: int, seed: int) -> None:
    copy, drop = Copy(n, c), Drop(n, c)
    one, two = normal(drop.info.takes, seed), normal(drop.info.takes, seed + 1)
    assert same(copy.bwd((), (), (one, two), ()).dx, one + two)
    assert same(drop.bwd((), (), (), ()).dx, np.zeros_like(one))


@law
@given(chains(1), seeds)
def test_l16_copying_after_a_layer_is_the_layer_twice(layers: list[AnyLayer], seed: int) -> None:
    (f,) = layers
    if not f.info.input_gradient:
        return
    n: int = rows_of(f)
    i, o, p = columns(f.info.takes), columns(f.info.gives), parameters(f, seed)
    one = f >> Copy(n, o)
    two = Copy(n, i) >> Both(f, f)
    x, dy = normal(one.info.takes, seed + 1), normal(one.info.gives, seed + 2)
    left, right = one.fwd((p, ()), x), two.fwd(((), (p, p)), x)
    assert same(left.y, right.y)
    assert close(one.bwd((p, ()), left.s, dy, one.zeros()).dx, two.bwd(((), (p, p)), right.s, dy, two.zeros()).dx)


@law
@given(rows, widths, seeds)
def test_l17_l18_sum_and_product(n: int, c: int, seed: int) -> None:
    a, b = normal(Id(n, c).info.takes, seed), normal(Id(n, c).info.takes, seed + 1)
    d = normal(Id(n, c).info.takes, seed + 2)
    add, multiply = Add2(n, c), Mul2(n, c)
    assert same(add.fwd((), (a, b)).y, a + b)
    assert same(add.bwd((), (), d, ()).dx, (d, d))
    assert same(add.fwd((), (a, np.zeros_like(a))).y, a + np.float32(0))
    product = multiply.fwd((), (a, b))
    assert same(product.y, a * b)
    assert same(multiply.bwd((), product.s, d, ()).dx, (d * b, d * a))


@law
@given(rows, widths, seeds)
def test_l19_l20_a_residual_adds_its_input(n: int, c: int, seed: int) -> None:
    f = Linear(n, c, c)
    p = parameters(f, seed)
    x, dy = normal(f.info.takes, seed + 1), normal(f.info.gives, seed + 2)
    residual = Residual(f)
    forward = residual.fwd((((), p), ()), x)
    plain = f.fwd(p, x)
    assert same(forward.y, x + plain.y)
    backward = residual.bwd((((), p), ()), forward.s, dy, residual.zeros())
    assert same(backward.dx, dy + f.bwd(p, plain.s, dy, f.zeros()).dx)
    nothing = residual.fwd(residual.zeros(), x)
    assert same(nothing.y, x + np.float32(0))


@law
@given(rows, widths, widths, seeds)
def test_l21_l42_tied_parameters_are_one(n: int, c: int, d: int, seed: int) -> None:
    first, last = LinearNB(n, c, c), LinearNB(n, c, c)
    mid = Linear(n, c, c)
    tied = Tie(first, mid, last)
    p, q = parameters(first, seed), parameters(mid, seed + 1)
    x, dy = normal(tied.info.takes, seed + 2), normal(tied.info.gives, seed + 3)
    forward = tied.fwd((p, q), x)
    apart = first >> mid >> last
    loose = apart.fwd(((p, q), p), x)
    assert same(forward.y, loose.y)
    backward = tied.bwd((p, q), forward.s, dy, tied.zeros())
    uses = apart.bwd(((p, q), p), loose.s, dy, apart.zeros())
    assert same(backward.dx, uses.dx)
    assert same(backward.g[0], uses.g[1] + uses.g[0][0])
    assert tied.count() == first.count() + mid.count() == len(tied.dump((p, q)))


@law
@given(st.integers(1, 4), rows, widths, seeds)
def test_l23_repeat_is_a_chain(k: int, n: int, c: int, seed: int) -> None:
    f = Linear(n, c, c)
    chain: AnyLayer = f
    for _ in range(k - 1):
        chain = chain >> f
    assert same(run(Repeat(k, f), seed), run(chain, seed))
    assert Repeat(k, f).count() == k * f.count()


@law
@given(rows, widths, widths, seeds)
def test_l66_regrouping_is_undone(n: int, a: int, b: int, seed: int) -> None:
    pair = Both(Id(n, a), Id(n, b))
    assert same(run(Concat(n, a, b) >> Split(n, a, b), seed), run(pair, seed))
    assert same(run(Split(n, a, b) >> Concat(n, a, b), seed), run(Id(n, a + b), seed))
    assert same(run(Reshape(n * a, b, n, a * b) >> Reshape(n, a * b, n * a, b), seed), run(Id(n * a, b), seed))
    assert same(run(Permute(a, b, 3) >> Permute(b, a, 3), seed), run(Id(a * b, 3), seed))
