"""Residual: a layer added to its input."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Dropout, Fork, Key, Repeat, Residual
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layer import Info
from tests.support.arrays import same_bits
from tests.support.composites import ADD, DROP, ID, SPLIT, SWAP, check_composite, lookup
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.nests import drawn, equals_wide, whole_params, wide
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_residuals = check_composite(
    lambda n, c: Residual(LIN(n, c, c)),
    lambda n, c: Residual(RELU(n, c)),
    lambda n, c: Residual(Residual(NB(n, c, 2) >> RELU(n, 2) >> LIN(n, 2, c))),
)


@given(n=rows, c=widths, seed=seeds)
def test_the_input_is_added_and_so_is_its_gradient(n: int, c: int, seed: int) -> None:
    model: Any = Residual(NB(n, c, 2) >> LIN(n, 2, c))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, dp = run(model, p, x, dy)
    ((unit, (v, lin)), other), x, d = p, wide(x), wide(dy)
    assert unit == other == ()
    v, w, b = wide(v), wide(lin.weight), wide(lin.bias)
    assert equals_wide(y, x + x @ v.T @ w.T + b)
    assert equals_wide(dx, d + d @ w @ v)
    ((_, (dv, dlin)), _) = dp
    assert equals_wide(dv, (d @ w).T @ x)
    assert equals_wide(dlin.weight, d.T @ (x @ v.T))
    assert equals_wide(dlin.bias, d.sum(axis=0, keepdims=True))


@given(n=rows, c=widths, seed=seeds)
def test_residuals_nest(n: int, c: int, seed: int) -> None:
    model: Any = Residual(Residual(NB(n, c, c)))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, _ = run(model, p, x, dy)
    weight = wide(p[0][1][0][1])
    assert equals_wide(y, wide(x) * 2 + wide(x) @ weight.T)
    assert equals_wide(dx, wide(dy) * 2 + wide(dy) @ weight)


@given(n=rows, c=widths, seed=seeds)
def test_nan_and_infinity_pass_through_the_skip(n: int, c: int, seed: int) -> None:
    model: Any = Residual(NB(n, c, c))
    x = drawn(model.info.takes, seed)
    if n == 0:
        return
    x[0, 0] = float("inf")
    with np.errstate(all="ignore"):  # with the JIT off, numpy warns
        y = model.fwd(model.zeros(), x).y
    assert not abs(y[0, 0]) < float("inf")
    assert same_bits(y[1:], x[1:] + 0)


@pytest.mark.parametrize(
    ("inner", "takes", "gives"),
    [
        (lambda: LIN(2, 3, 4), "Mat[2, 3]", "Mat[2, 4]"),
        (lambda: ADD(2, 3), "tuple[Mat[2, 3], Mat[2, 3]]", "Mat[2, 3]"),
        (lambda: SPLIT(2, 1, 2), "Mat[2, 3]", "tuple[Mat[2, 1], Mat[2, 2]]"),
        (lambda: SWAP(2, 3, 3), "tuple[Mat[2, 3], Mat[2, 3]]", "tuple[Mat[2, 3], Mat[2, 3]]"),
        (lambda: DROP(2, 3), "Mat[2, 3]", "tuple[()]"),
        (lambda: lookup(2, 3, 4), "Ids[2]", "Mat[2, 4]"),
    ],
)
def test_a_layer_that_does_not_keep_its_shape_is_refused(inner: Any, takes: str, gives: str) -> None:
    layer = inner()
    text = f"Residual: {layer} takes {takes}, gives {gives}; a residual layer must keep its shape"
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        Residual(layer)


@pytest.mark.parametrize(
    "inner",
    [
        lambda: FIRST(2, 3, 3),
        lambda: RELU(2, 3) >> FIRST(2, 3, 3),
        lambda: Repeat(1, FIRST(2, 3, 3)),
        lambda: Residual(FIRST(2, 3, 3)),
    ],
)
def test_no_residual_without_input_gradient_behind_parameters(inner: Any) -> None:
    model: Any = Residual(inner())
    assert not model.info.input_gradient
    with pytest.raises(ConfigError, match=r"gives no gradient of its input, but Linear\(2, 3, 3\) before it"):
        LIN(2, 3, 3) >> model
    with pytest.raises(ConfigError, match=r"gives no gradient of its input, but Linear\(2, 3, 3\) before it"):
        LIN(2, 3, 3) >> ID(2, 3) >> model


def test_what_it_knows_of_itself() -> None:
    inner = LIN(2, 3, 3)
    model: Any = Residual(inner)
    assert model.info.takes == model.info.gives == inner.info.takes
    assert model.info.saves == (((), inner.info.saves), ())
    assert [leaf.name for leaf in model.leaves] == ["0.1.weight", "0.1.bias"]
    assert model.count() == inner.count()
    assert "Linear(2, 3, 3)" in str(model)


def test_a_layer_of_unknown_shape_is_told_how_to_make_it_known() -> None:
    layer = dataclasses.replace(RELU(2, 3), info=Info("mine"))
    with pytest.raises(
        ShapeError, match=r"^Residual: the shapes of mine\(\) are not known; give make_layer\(...\) its info"
    ):
        Residual(layer)


def test_it_is_shown_as_it_was_written_and_keeps_the_places_of_its_parameters() -> None:
    inner = LIN(2, 3, 3)
    model: Any = Residual(inner)
    assert str(model) == "Residual(Linear(2, 3, 3))"
    assert model.info.parts == (inner,)
    chained: Any = LIN(2, 3, 3) >> model >> LIN(2, 3, 3)
    assert str(chained) == "Seq(Linear(2, 3, 3), Residual(Linear(2, 3, 3)), Linear(2, 3, 3))"
    written: Any = LIN(2, 3, 3) >> Fork(ID(2, 3), inner) >> ADD(2, 3) >> LIN(2, 3, 3)
    assert [leaf.name for leaf in chained.leaves] == [leaf.name for leaf in written.leaves]
    assert same_bits(chained.dump(chained.init(Key(3))), written.dump(written.init(Key(3))))
    with pytest.raises(ShapeError, match=r"^>>: Residual\(Linear\(2, 3, 3\)\) gives Mat\[2, 3\], ReLU\(2, 4\) takes"):
        model >> RELU(2, 4)


def test_its_variants_are_residuals() -> None:
    dropout: Any = Dropout(2, 3, 0.5, 1)
    assert str(Residual(dropout).eval()) == "Residual(Dropout(2, 3, p=0.5, seed=1))"
    model = Residual(dropout)
    assert same_bits(model.eval().fwd(model.zeros(), np.ones((2, 3), np.float32)).y, np.full((2, 3), 2, np.float32))
