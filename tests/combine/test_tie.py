"""Tie: a parameter used twice is one parameter."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Tie
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.optim.state import new_state, split_state
from tests.support.arrays import all_same_bits, as_lists, same_bits, snapshot
from tests.support.composites import ID, check_composite, lookup
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.nests import drawn, equals_wide, whole_params, wide
from tests.support.params import OPTIMIZERS, random_like
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_ties = check_composite(
    lambda n, c: Tie(RELU(n, c), LIN(n, c, 2), RELU(n, 2)),
    lambda n, c: Tie(NB(n, c, c), RELU(n, c), NB(n, c, c)),
    lambda n, c: Tie(lookup(n, 3, c), LIN(n, c, c) >> RELU(n, c), NB(n, c, 3)),
    lambda n, c: Tie(LIN(n, c, c), Tie(NB(n, c, c), ID(n, c), NB(n, c, c)), LIN(n, c, c)),
)


@given(n=rows, c=widths, seed=seeds)
def test_the_table_that_looks_up_scores_too(n: int, c: int, seed: int) -> None:
    """Tied embeddings, and L21: both uses add into one gradient."""
    model: Any = Tie(lookup(n, 3, c), LIN(n, c, c), NB(n, c, 3))
    p, ids = whole_params(model, seed), drawn(model.info.takes, seed)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, (shared, lin) = run(model, p, ids, dy)
    table, w, b, d = wide(p[0]), wide(p[1].weight), wide(p[1].bias), wide(dy)
    x = table[ids]
    hidden = x @ w.T + b
    d_hidden = d @ table
    assert equals_wide(y, hidden @ table.T)
    assert np.array_equal(dx, ids)
    assert equals_wide(lin.weight, d_hidden.T @ x)
    assert equals_wide(lin.bias, d_hidden.sum(axis=0, keepdims=True))
    assert equals_wide(shared, d.T @ hidden + np.eye(3)[ids].T @ (d_hidden @ w))


def test_shared_parameters_are_stored_counted_and_dumped_once() -> None:
    model: Any = Tie(LIN(2, 4, 4), NB(2, 4, 4), LIN(2, 4, 4))
    assert model.count() == 20 + 16
    p = random_like(model, 0)
    assert len(as_lists(p)) == 3
    assert same_bits(model.dump(p), np.concatenate([a.reshape(-1) for a in (p[0].weight, p[0].bias, p[1])]))
    assert [leaf.name for leaf in model.leaves] == ["shared.weight", "shared.bias", "1.weight"]
    nested: Any = Tie(model, RELU(2, 4), model)
    assert nested.count() == model.count()
    assert [leaf.name for leaf in nested.leaves] == ["shared.shared.weight", "shared.shared.bias", "shared.1.weight"]


@given(seed=seeds)
def test_shared_parameters_are_initialised_once_as_the_firsts(seed: int) -> None:
    first, mid = LIN(2, 4, 4), NB(2, 4, 4)
    model: Any = Tie(first, mid, LIN(2, 4, 4))
    chain: Any = first >> mid
    p = model.init(Key(seed))
    assert same_bits(model.dump(p), chain.dump(chain.init(Key(seed))))
    table: Any = Tie(lookup(2, 3, 4), RELU(2, 4), NB(2, 4, 3))  # the two start from different distributions
    assert same_bits(table.init(Key(seed))[0], lookup(2, 3, 4).init(Key(seed)))


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
@given(seed=seeds)
def test_shared_parameters_are_stepped_once(optimizer: Any, seed: int) -> None:
    """L42: the step of the tied layer is the step of the first and of the middle."""
    first, mid = LIN(2, 4, 4), NB(2, 4, 4)
    model: Any = Tie(first, mid, LIN(2, 4, 4))
    p, g = random_like(model, seed), random_like(model, seed + 1)
    (p1, p2), (g1, g2), state = snapshot(p), snapshot(g), new_state(optimizer, model.zeros, model.count())
    one, two = split_state(snapshot(state), (first.count(), mid.count()))
    opt = optimizer.at(1)
    stepped = model.step(opt, p, g, state)
    assert all_same_bits(stepped.p, (first.step(opt, p1, g1, one).p, mid.step(opt, p2, g2, two).p))
    assert not any(array.any() for array in as_lists(stepped.g))


@given(n=rows, c=widths, seed=seeds)
def test_both_uses_add_into_the_gradient_that_is_given(n: int, c: int, seed: int) -> None:
    """L32 where every sum is exact."""
    model: Any = Tie(NB(n, c, c), RELU(n, c), NB(n, c, c))
    p, g, x = whole_params(model, seed), whole_params(model, seed + 1), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 2, whole=True)
    before = snapshot(g)
    s = model.fwd(p, x).s
    apart = model.bwd(p, s, dy, model.zeros()).g
    assert same_bits(model.bwd(p, s, dy, g).g[0], before[0] + apart[0])


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: Tie(NB(2, 3, 4), RELU(2, 4), NB(2, 4, 3)),
            "Tie: LinearNB(2, 3, 4) has parameters Mat[4, 3], LinearNB(2, 4, 3) has parameters Mat[3, 4]; "
            "tied layers share one set of parameters",
        ),
        (
            lambda: Tie(LIN(2, 3, 3), RELU(2, 3), NB(2, 3, 3)),
            "Tie: Linear(2, 3, 3) has parameters Mat[3, 3], Mat[1, 3], LinearNB(2, 3, 3) has parameters Mat[3, 3]; "
            "tied layers share one set of parameters",
        ),
        (
            lambda: Tie(NB(2, 3, 3), RELU(2, 3), RELU(2, 3)),
            "Tie: LinearNB(2, 3, 3) has parameters Mat[3, 3], ReLU(2, 3) has parameters none; "
            "tied layers share one set of parameters",
        ),
        (
            lambda: Tie(NB(2, 3, 4), RELU(2, 3), NB(2, 3, 4)),
            "Tie: LinearNB(2, 3, 4) gives Mat[2, 4], ReLU(2, 3) takes Mat[2, 3]",
        ),
        (
            lambda: Tie(NB(2, 3, 4), RELU(2, 4), NB(2, 3, 4)),
            "Tie: ReLU(2, 4) gives Mat[2, 4], LinearNB(2, 3, 4) takes Mat[2, 3]",
        ),
    ],
)
def test_layers_that_cannot_be_tied_are_refused(build: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: Tie(NB(2, 3, 3), FIRST(2, 3, 3), NB(2, 3, 3)),
        lambda: Tie(RELU(2, 3), NB(2, 3, 3) >> FIRST(2, 3, 3), RELU(2, 3)),
        lambda: Tie(LIN(2, 3, 3), RELU(2, 3), FIRST(2, 3, 3)),  # the first use would never see a gradient
        lambda: Tie(LIN(2, 3, 3), NB(2, 3, 3), FIRST(2, 3, 3)),
    ],
)
def test_no_layer_without_input_gradient_behind_parameters(build: Any) -> None:
    with pytest.raises(ConfigError, match=r"LinearFirst\(2, 3, 3\) gives no gradient of its input"):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: Tie(FIRST(2, 3, 3), RELU(2, 3), LIN(2, 3, 3)),
        lambda: Tie(RELU(2, 3), FIRST(2, 3, 3), RELU(2, 3)),  # the gradient stops in the middle
    ],
)
def test_no_input_gradient_when_one_part_has_none(build: Any) -> None:
    model = build()
    assert not model.info.input_gradient
    with pytest.raises(ConfigError, match=r"gives no gradient of its input, but Linear\(2, 3, 3\) before it"):
        LIN(2, 3, 3) >> model


def test_what_it_knows_of_itself() -> None:
    parts = NB(2, 3, 3), RELU(2, 3), NB(2, 3, 3)
    model: Any = Tie(*parts)
    assert model.info.saves == tuple(part.info.saves for part in parts)
    assert model.info.parts == parts
    assert str(model) == "Tie(LinearNB(2, 3, 3), ReLU(2, 3), LinearNB(2, 3, 3))"
