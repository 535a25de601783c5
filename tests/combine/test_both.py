"""Both: two layers side by side on a pair."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Both
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Info
from tests.support.arrays import same_bits
from tests.support.composites import ADD, DROP, ID, MUL, check_composite, lookup
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.nests import drawn, equals_wide, whole_params, wide
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_boths = check_composite(
    lambda n, c: Both(LIN(n, c, 3), NB(n, 2, c)),
    lambda n, c: Both(ID(n, c), DROP(n, 2)),
    lambda n, c: Both(MUL(n, c), Both(ADD(n, 2), LIN(n, c, 1))),
    lambda n, c: Both(lookup(n, 2, c), RELU(n, c)),
)


@given(n=rows, m=rows, c=widths, seed=seeds)
def test_each_layer_sees_its_own_half(n: int, m: int, c: int, seed: int) -> None:
    """The two may have different rows and widths."""
    model: Any = Both(LIN(n, c, 3), NB(m, 2, c))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, (lin, weight) = run(model, p, x, dy)
    w, b, v = wide(p[0].weight), wide(p[0].bias), wide(p[1])
    (one, two), (d, e) = wide(x), wide(dy)
    assert equals_wide(y, (one @ w.T + b, two @ v.T))
    assert equals_wide(dx, (d @ w, e @ v))
    assert equals_wide(lin.weight, d.T @ one)
    assert equals_wide(lin.bias, d.sum(axis=0, keepdims=True))
    assert equals_wide(weight, e.T @ two)


@given(seed=seeds)
def test_initial_numbers_do_not_depend_on_the_nesting(seed: int) -> None:
    f, g, h = LIN(2, 3, 4), NB(2, 5, 6), LIN(2, 1, 2)
    left: Any = Both(Both(f, g), h)
    right: Any = Both(f, Both(g, h))
    key = Key(seed)
    assert same_bits(left.dump(left.init(key)), right.dump(right.init(key)))
    assert [leaf.name for leaf in left.leaves] == ["0.0.weight", "0.0.bias", "0.1.weight", "1.weight", "1.bias"]
    assert [leaf.name for leaf in right.leaves] == ["0.weight", "0.bias", "1.0.weight", "1.1.weight", "1.1.bias"]


def test_what_it_knows_of_itself() -> None:
    one, two = LIN(2, 3, 4), RELU(5, 6)
    model: Any = Both(one, two)
    assert model.info.takes == (one.info.takes, two.info.takes)
    assert model.info.gives == (one.info.gives, two.info.gives)
    assert model.info.saves == (one.info.saves, two.info.saves)
    assert str(model) == "Both(Linear(2, 3, 4), ReLU(5, 6))"
    silent: Any = dataclasses.replace(two, info=Info("mine"))
    for unknown in (Both(silent, one), Both(one, silent)):
        assert unknown.info.takes is unknown.info.gives is unknown.info.saves is None


@pytest.mark.parametrize("place", [0, 1])
def test_no_input_gradient_when_one_half_has_none(place: int) -> None:
    halves = [FIRST(2, 3, 3), ID(2, 3)]
    model: Any = Both(*(halves if place == 0 else halves[::-1]))
    before: Any = Both(LIN(2, 3, 3), ID(2, 3))
    assert not model.info.input_gradient
    text = f">>: {model} gives no gradient of its input, but {before} before it has parameters to train"
    with pytest.raises(ConfigError, match=f"^{re.escape(text)}"):
        before >> model


def test_the_half_that_does_not_fit_is_named() -> None:
    model: Any = Both(LIN(2, 3, 4), RELU(2, 5))
    p, good = model.zeros(), np.zeros((2, 3), np.float32)
    with pytest.raises(ShapeError, match=r"^ReLU\(2, 5\): x must be Mat\[2, 5\], got an array of shape \[2, 3\]$"):
        model.fwd(p, (good, good))
    with pytest.raises(ShapeError, match=r"^Linear\(2, 3, 4\): x must be Mat\[2, 3\], got an array of shape \[3, 2\]$"):
        model.fwd(p, (good.reshape(3, 2), np.zeros((2, 5), np.float32)))


def test_a_seam_of_pairs_shows_both() -> None:
    text = (
        ">>: Both(ReLU(2, 3), ReLU(2, 4)) gives tuple[Mat[2, 3], Mat[2, 4]], "
        "Both(ReLU(2, 4), ReLU(2, 3)) takes tuple[Mat[2, 4], Mat[2, 3]]"
    )
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        Both(RELU(2, 3), RELU(2, 4)) >> Both(RELU(2, 4), RELU(2, 3))
