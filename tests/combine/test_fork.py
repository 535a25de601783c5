"""Fork: one input to two layers, whatever the input is."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Both, Fork
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.layer import Info
from tests.support.arrays import LAYOUTS, all_same_bits, same_bits
from tests.support.composites import ADD, ASSOC, COPY, DROP, ID, MUL, SPLIT, SWAP, check_composite, lookup
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.nests import drawn, equals_wide, whole_params, wide
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_forks = check_composite(
    lambda n, c: Fork(LIN(n, c, 3), NB(n, c, 2)),
    lambda n, c: Fork(ID(n, c), ID(n, c)),
    lambda n, c: Fork(DROP(n, c), LIN(n, c, 2)),
    lambda n, c: Fork(MUL(n, c), ADD(n, c)),
    lambda n, c: Fork(Fork(RELU(n, c), COPY(n, c)), Fork(NB(n, c, c), ID(n, c)) >> MUL(n, c)),
    lambda n, c: Fork(ASSOC(n, c, 2, 1), Both(SWAP(n, c, 2), NB(n, 1, 3))),
    lambda n, c: Fork(lookup(n, 3, c), lookup(n, 2, 4)),
    lambda n, c: Fork(Both(lookup(n, 3, c), RELU(n, c)), Both(lookup(n, 2, 1), LIN(n, c, 2))),
)


@given(n=rows, i=widths, seed=seeds)
def test_outputs_are_a_pair_and_input_gradients_add(n: int, i: int, seed: int) -> None:
    model: Any = Fork(LIN(n, i, 3), NB(n, i, 2))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, (lin, weight) = run(model, p, x, dy)
    (w, b), v = (wide(p[0].weight), wide(p[0].bias)), wide(p[1])
    x, (da, db) = wide(x), wide(dy)
    assert equals_wide(y, (x @ w.T + b, x @ v.T))
    assert equals_wide(dx, da @ w + db @ v)
    assert equals_wide(lin.weight, da.T @ x)
    assert equals_wide(lin.bias, da.sum(axis=0, keepdims=True))
    assert equals_wide(weight, db.T @ x)


@given(n=rows, c=widths, seed=seeds)
def test_gradients_of_a_pair_add_number_by_number(n: int, c: int, seed: int) -> None:
    model: Any = Fork(MUL(n, c), ADD(n, c))
    x, dy = drawn(model.info.takes, seed, whole=True), drawn(model.info.gives, seed + 1, whole=True)
    y, dx, _ = run(model, ((), ()), x, dy)
    (a, b), (d, e) = wide(x), wide(dy)
    assert equals_wide(y, (a * b, a + b))
    assert equals_wide(dx, (d * b + e, d * a + e))


@given(n=rows, a=widths, b=widths, seed=seeds)
def test_gradients_of_nested_pairs_add_over_the_tree(n: int, a: int, b: int, seed: int) -> None:
    model: Any = Fork(ASSOC(n, a, b, 2), Both(SWAP(n, a, b), NB(n, 2, 3)))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, _ = run(model, p, x, dy)
    ((u, v), w), weight = wide(x), wide(p[1][1])
    (du, (dv, dw)), ((ev, eu), ew) = wide(dy)
    assert equals_wide(y, ((u, (v, w)), ((v, u), w @ weight.T)))
    assert equals_wide(dx, ((du + eu, dv + ev), dw + ew @ weight))


@pytest.mark.parametrize("kind", ["int32", "int64"])
@given(n=rows, seed=seeds)
def test_ids_have_no_gradient_and_stay_what_they_are(kind: str, n: int, seed: int) -> None:
    model: Any = Fork(Both(lookup(n, 3, 4), ID(n, 2)), Both(lookup(n, 2, 1), NB(n, 2, 2)))
    p = whole_params(model, seed)
    ids, x = drawn(model.info.takes, seed, whole=True)
    ids, dy = ids.astype(kind), drawn(model.info.gives, seed + 1, whole=True)
    y, dx, dp = run(model, p, (ids, x), dy)
    ((d, e), (f, h)), weight = wide(dy), wide(p[1][1])
    assert equals_wide(y, ((wide(p[0][0])[ids], x), (wide(p[1][0])[ids], wide(x) @ weight.T)))
    assert np.array_equal(dx[0], ids)
    assert np.issubdtype(dx[0].dtype, np.integer)
    assert equals_wide(dx[1], e + h @ weight)
    hot = [np.eye(rows_of_table)[ids] for rows_of_table in (3, 2)]
    assert equals_wide(dp[0][0], hot[0].T @ d)
    assert equals_wide(dp[1][0], hot[1].T @ f)


@given(n=rows, c=widths, seed=seeds)
def test_a_dropped_half_adds_nothing(n: int, c: int, seed: int) -> None:
    model: Any = Fork(DROP(n, c), NB(n, c, 2))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, _ = run(model, p, x, dy)
    assert y[0] == ()
    assert equals_wide(dx, wide(dy[1]) @ wide(p[1]))
    assert dx.flags.writeable


def test_the_gradient_is_nobody_elses_memory() -> None:
    model: Any = Fork(ID(2, 3), ID(2, 3))
    x, dy = drawn(model.info.takes, 0), drawn(model.info.gives, 1)
    _, dx, _ = run(model, ((), ()), x, dy)
    assert not any(np.shares_memory(dx, array) for array in (x, *dy))
    assert same_bits(dx, dy[0] + dy[1])


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: Fork(LIN(2, 3, 4), NB(2, 5, 4)),
            "Fork: Linear(2, 3, 4) takes Mat[2, 3], LinearNB(2, 5, 4) takes Mat[2, 5]; both must take the same input",
        ),
        (
            lambda: Fork(RELU(2, 3), ADD(2, 3)),
            "Fork: ReLU(2, 3) takes Mat[2, 3], Add2(2, 3) takes tuple[Mat[2, 3], Mat[2, 3]]; "
            "both must take the same input",
        ),
        (
            lambda: Fork(lookup(2, 3, 4), RELU(2, 3)),
            "Fork: Lookup(2, 3, 4) takes Ids[2], ReLU(2, 3) takes Mat[2, 3]; both must take the same input",
        ),
        (
            lambda: Fork(NB(2, 3, 4) >> RELU(2, 4), RELU(3, 3)),
            "Fork: Seq(LinearNB(2, 3, 4), ReLU(2, 4)) takes Mat[2, 3], ReLU(3, 3) takes Mat[3, 3]; "
            "both must take the same input",
        ),
    ],
)
def test_layers_of_different_inputs_are_refused(build: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        build()


def test_what_a_fork_knows_of_itself() -> None:
    model: Any = Fork(LIN(2, 3, 4), SPLIT(2, 1, 2))
    one, two = model.info.parts
    assert (model.info.takes, model.info.gives) == (one.info.takes, (one.info.gives, two.info.gives))
    assert model.info.saves == (one.info.saves, ())
    assert str(model) == "Fork(Linear(2, 3, 4), Split(2, 1, 2))"
    assert [leaf.name for leaf in model.leaves] == ["0.weight", "0.bias"]


def test_a_layer_that_does_not_say_its_shapes_is_not_checked() -> None:
    silent: Any = dataclasses.replace(NB(2, 5, 6), info=Info("mine"))
    known: Any = LIN(2, 3, 4)
    for model in (Fork(silent, known), Fork(known, silent)):
        assert model.info.takes == known.info.takes
        assert model.info.gives is model.info.saves is None


@pytest.mark.parametrize(
    "inner",
    [
        lambda: Fork(FIRST(2, 3, 3), ID(2, 3)),
        lambda: Fork(ID(2, 3), FIRST(2, 3, 3)),
        lambda: Fork(ID(2, 3), RELU(2, 3) >> FIRST(2, 3, 3)),
        lambda: Fork(Fork(FIRST(2, 3, 3), ID(2, 3)), ID(2, 3)),
    ],
)
def test_no_fork_without_input_gradient_behind_parameters(inner: Any) -> None:
    fork = inner()
    assert not fork.info.input_gradient
    text = f">>: {fork} gives no gradient of its input, but Linear(2, 4, 3) before it has parameters to train"
    with pytest.raises(ConfigError, match=f"^{re.escape(text)}"):
        LIN(2, 4, 3) >> fork
    assert not (RELU(2, 3) >> fork).info.input_gradient


def test_a_gradient_of_another_shape_is_refused_by_name() -> None:
    """A layer of one's own whose backward pass gives the gradient transposed."""
    good: Any = ID(2, 3)
    bad: Any = dataclasses.replace(good, bwd=lambda p, s, dy, g: dataclasses.replace(good.bwd(p, s, dy, g), dx=dy.T))
    x = np.ones((2, 3), np.float32)
    for model in (Fork(good, bad), Fork(bad, good)):
        s = model.fwd(((), ()), x).s
        with pytest.raises(ShapeError, match=r"^Fork: a gradient must be Mat\["):
            model.bwd(((), ()), s, (x, x), ((), ()))
    wide_one: Any = dataclasses.replace(
        good, bwd=lambda p, s, dy, g: dataclasses.replace(good.bwd(p, s, dy, g), dx=dy.astype(np.float64))
    )
    with pytest.raises(DtypeError, match=r"^Fork: a gradient must be float32"):
        Fork(good, wide_one).bwd(((), ()), ((), ()), (x, x), ((), ()))


@given(n=rows, c=widths, seed=seeds)
def test_gradients_of_parts_may_lie_in_any_layout(n: int, c: int, seed: int) -> None:
    """What a layer of one's own gives back is added whatever its memory looks like."""
    good: Any = ID(n, c)
    x, dy = drawn(good.info.takes, seed), (drawn(good.info.takes, seed + 1), drawn(good.info.takes, seed + 2))
    expected = run(Fork(good, good), ((), ()), x, dy)
    for lay_out in LAYOUTS.values():

        def bwd(p: Any, s: Any, dy: Any, g: Any, lay_out: Any = lay_out) -> Any:
            return dataclasses.replace(good.bwd(p, s, dy, g), dx=lay_out(dy))

        other: Any = dataclasses.replace(good, bwd=bwd)
        for model in (Fork(good, other), Fork(other, good), Fork(other, other)):
            assert all_same_bits(run(model, ((), ()), x, dy), expected)
