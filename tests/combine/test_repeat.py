"""Repeat: k copies of a layer, their parameters a tuple of k."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Repeat, Residual, Seq
from bendtorch.errors import BendError, ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Info
from bendtorch.optim import SGD, Adam, Momentum, NoMoments, OneMoment, TwoMoments
from bendtorch.optim.state import join_states, map_state, new_state
from tests.support.arrays import all_same_bits, as_lists, same_bits, snapshot
from tests.support.composites import SWAP, check_composite
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.nests import drawn, equals_wide, whole_params, wide
from tests.support.params import OPTIMIZERS, as_lists_of_state, random_like
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

EACH = pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
counts = st.integers(1, 4)

test_repeats = check_composite(
    lambda n, c: Repeat(1, NB(n, c, c)),
    lambda n, c: Repeat(3, LIN(n, c, c)),
    lambda n, c: Repeat(2, RELU(n, c)),
    lambda n, c: Repeat(2, SWAP(n, c, c)),
    lambda n, c: Repeat(2, Repeat(2, NB(n, c, c) >> RELU(n, c))),
    lambda n, c: Repeat(2, Residual(LIN(n, c, 2) >> NB(n, 2, c))),
)


def chain_of(k: int, layer: Any) -> Any:
    """The layer k times in a row, at least twice."""
    return Seq(*[layer] * k)


@given(n=rows, seed=seeds)
def test_copies_run_one_after_another(n: int, seed: int) -> None:
    model: Any = Repeat(3, LIN(n, 3, 3))
    p, x = whole_params(model, seed), drawn(model.info.takes, seed, whole=True)
    dy = drawn(model.info.gives, seed + 1, whole=True)
    y, dx, dp = run(model, p, x, dy)
    values, d = [wide(x)], wide(dy)
    for one in p:
        values.append(values[-1] @ wide(one.weight).T + wide(one.bias))
    assert equals_wide(y, values[-1])
    for one, gradient, value in zip(p[::-1], dp[::-1], values[-2::-1], strict=True):
        assert equals_wide(gradient.weight, d.T @ value)
        assert equals_wide(gradient.bias, d.sum(axis=0, keepdims=True))
        d = d @ wide(one.weight)
    assert equals_wide(dx, d)


@given(k=counts, c=widths, seed=seeds)
def test_parameters_gradients_and_saved_values_are_tuples_of_k(k: int, c: int, seed: int) -> None:
    model: Any = Repeat(k, LIN(2, c, c))
    p, x = random_like(model, seed), drawn(model.info.takes, seed)
    forward = model.fwd(p, x)
    backward = model.bwd(p, forward.s, forward.y, model.zeros())
    for value in (p, model.zeros(), forward.s, backward.g, model.init(Key(seed))):
        assert type(value) is tuple
        assert len(value) == k
    assert model.info.saves == (LIN(2, c, c).info.saves,) * k
    assert same_bits(model.dump(p), np.concatenate([LIN(2, c, c).dump(one) for one in p]))


@given(k=counts, c=widths, seed=seeds)
def test_views_lie_one_after_another_in_one_buffer(k: int, c: int, seed: int) -> None:
    layer: Any = LIN(2, c, c)
    model: Any = Repeat(k, layer)
    flat = np.arange(model.count() + 5, dtype=np.float32)
    p = model.view(flat, 3)
    for place, one in enumerate(p):
        start = 3 + place * layer.count()
        assert same_bits(layer.dump(one), flat[start : start + layer.count()])
        assert all(np.shares_memory(array, flat) for array in as_lists(one))
    assert Repeat(k, dataclasses.replace(layer, view=None)).view is None


@given(k=st.integers(2, 4), c=widths, seed=seeds)
def test_names_and_initial_numbers(k: int, c: int, seed: int) -> None:
    """Every copy starts from numbers of its own, the same however the copies are nested."""
    layer: Any = LIN(2, c, c) >> RELU(2, c)
    model: Any = Repeat(k, layer)
    key = Key(seed)
    flat = model.dump(model.init(key))
    for other in (chain_of(k, layer), chain_of(k, Repeat(1, layer)), Repeat(1, model), Repeat(k, Repeat(1, layer))):
        assert same_bits(other.dump(other.init(key)), flat)
    twice: Any = Repeat(2, model)
    flat_twice = twice.dump(twice.init(key))
    assert same_bits(flat_twice, Repeat(2 * k, layer).dump(Repeat(2 * k, layer).init(key)))
    names = [f"{i}.{leaf.name}" for i in range(k) for leaf in layer.leaves]
    assert [leaf.name for leaf in model.leaves] == names
    assert len({one.tobytes() for one in flat.reshape(k, -1)}) == k


@EACH
@given(k=st.integers(2, 4), c=widths, seed=seeds)
def test_a_step_is_the_chains(optimizer: Any, k: int, c: int, seed: int) -> None:
    """L38, with the state that stands where the chain's does, over a few steps."""
    model: Any = Repeat(k, LIN(2, c, c))
    chain: Any = chain_of(k, LIN(2, c, c))
    (p, g), (q, h) = [(random_like(m, seed), random_like(m, seed + 1)) for m in (model, chain)]
    one, two = new_state(optimizer, model.zeros, model.count()), new_state(optimizer, chain.zeros, chain.count())
    for t in range(1, 4):
        stepped, expected = model.step(optimizer.at(t), p, g, one), chain.step(optimizer.at(t), q, h, two)
        p, g, one, q, h, two = stepped.p, stepped.g, stepped.st, expected.p, expected.g, expected.st
        assert type(p) is type(g) is tuple
        assert (len(p), len(g)) == (k, k)
        assert same_bits(model.dump(p), chain.dump(q))
        assert not model.dump(g).any()
        assert type(one) is type(two)
        assert as_lists_of_state(map_state(one, model.dump)) == as_lists_of_state(map_state(two, chain.dump))
        model.load(g, chain.dump(random_like(chain, seed + 1 + t)), 0)
        h = random_like(chain, seed + 1 + t)


@given(seed=seeds)
def test_a_part_with_a_step_of_its_own_is_honoured_in_every_copy(seed: int) -> None:
    layer: Any = NB(2, 3, 3)
    calls: list[Any] = []

    def own(opt: Any, p: Any, g: Any, state: Any) -> Any:
        calls.append(p)
        return layer.step(opt, p, g, state)

    assert Repeat(2, layer).step.elementwise  # type: ignore[attr-defined]
    model: Any = Repeat(2, dataclasses.replace(layer, step=own))
    assert not model.step.elementwise
    p, g = random_like(model, seed), random_like(model, seed + 1)
    model.step(SGD(0.1).at(1), p, g, NoMoments())
    assert [call is one for call, one in zip(calls, p, strict=True)] == [True, True]


WRONG: Any = {
    "none": lambda parts: (),
    "one too few": lambda parts: parts[:-1],
    "one too many": lambda parts: (*parts, snapshot(parts[0])),
}
FOR_WRONG = pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)


def refused(call: Any, given: Any, *untouched: Any) -> None:
    """The call says how many copies it expected, and wrote nothing into anything."""
    before = snapshot(untouched)
    with pytest.raises(
        ShapeError, match=rf"^Repeat: .* must be a tuple of 3, one for each copy, got a tuple of {len(given)}"
    ):
        call()
    assert all_same_bits(untouched, before)


@FOR_WRONG
def test_a_wrong_number_of_parameters_is_refused_by_every_function_over_them(wrong: Any) -> None:
    model: Any = Repeat(3, LIN(2, 4, 4))
    p, room = wrong(random_like(model, 0)), np.full(100, 7, np.float32)
    refused(lambda: model.dump(p), p, p)
    refused(lambda: model.load(p, room, 0), p, p, room)
    refused(lambda: model.store(p, room, 0), p, p, room)


@FOR_WRONG
def test_a_wrong_number_of_parameters_is_refused_before_a_pass_runs(wrong: Any) -> None:
    calls: list[str] = []
    layer: Any = LIN(2, 4, 4)

    def counted(p: Any, x: Any) -> Any:
        calls.append("fwd")
        return layer.fwd(p, x)

    model: Any = Repeat(3, dataclasses.replace(layer, fwd=counted))
    p, x = random_like(model, 0), drawn(layer.info.takes, 1)
    refused(lambda: model.fwd(wrong(p), x), wrong(p), p, x)
    assert calls == []


@FOR_WRONG
@pytest.mark.parametrize("which", ["p", "s", "g"])
def test_a_wrong_number_of_anything_is_refused_before_the_backward_pass_writes(which: str, wrong: Any) -> None:
    model: Any = Repeat(3, LIN(2, 4, 4))
    p, g, x = random_like(model, 0), random_like(model, 1), drawn(model.info.takes, 2)
    s = model.fwd(p, x).s
    changed = {"p": p, "s": s, "g": g}
    changed[which] = wrong(changed[which])
    refused(lambda: model.bwd(changed["p"], changed["s"], x, changed["g"]), changed[which], p, s, g, x)


@FOR_WRONG
@pytest.mark.parametrize("which", ["p", "g"])
def test_a_wrong_number_of_anything_is_refused_before_a_step_writes(which: str, wrong: Any) -> None:
    optimizer = Adam()
    model: Any = Repeat(3, LIN(2, 4, 4))
    p, g = random_like(model, 0), random_like(model, 1)
    changed = {"p": p, "g": g}
    changed[which] = wrong(changed[which])
    state = new_state(optimizer, model.zeros, model.count())
    refused(lambda: model.step(optimizer.at(1), changed["p"], changed["g"], state), changed[which], p, g)


@FOR_WRONG
@pytest.mark.parametrize("optimizer", [Momentum(0.1), Adam()], ids=["Momentum", "Adam"])
def test_a_state_of_another_number_of_copies_is_refused_before_a_step_writes(optimizer: Any, wrong: Any) -> None:
    model: Any = Repeat(3, LIN(2, 4, 4))
    p, g = random_like(model, 0), random_like(model, 1)
    state = map_state(new_state(optimizer, model.zeros, model.count()), wrong)
    before = snapshot((p, g))
    with pytest.raises(BendError, match=r"Repeat|copies|state"):
        model.step(optimizer.at(1), p, g, state)
    assert all_same_bits((p, g), before)


def test_states_of_different_kinds_are_refused() -> None:
    made: list[Any] = [NoMoments(), OneMoment(1), TwoMoments(1, 2)]
    for one in made:
        for two in made:
            for states in ([one, two], [one, one, two], [two, one, one, one]):
                if one is two:
                    assert type(join_states(states)) is type(one)
                    continue
                kinds = ", ".join(sorted({type(one).__name__, type(two).__name__}))
                text = f"the parts of a model have optimizer states of different kinds: {kinds}; "
                with pytest.raises(ConfigError, match=f"^{re.escape(text)}make all for the same optimizer$"):
                    join_states(states)
    with pytest.raises(ConfigError, match=r"kinds: NoMoments, OneMoment, TwoMoments; make"):
        join_states(made)


@given(moments=st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=5))
def test_the_state_of_a_tuple_is_a_tuple_in_each_buffer(moments: Any) -> None:
    ms, vs = tuple(m for m, _ in moments), tuple(v for _, v in moments)
    assert join_states([TwoMoments(m, v) for m, v in moments]) == TwoMoments(ms, vs)
    assert join_states([OneMoment(m) for m in ms]) == OneMoment(ms)
    assert join_states([NoMoments() for _ in ms]) == NoMoments()
    states: list[Any] = [TwoMoments(ms, vs), OneMoment(ms), NoMoments()]
    for state in states:
        shares = [map_state(state, lambda parts, i=i: parts[i]) for i in range(len(moments))]  # type: ignore[misc]
        assert join_states(shares) == state


@pytest.mark.parametrize("k", [0, -1, True, False, 2.5, 2.0, "2", None])
def test_k_that_counts_nothing_is_refused(k: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(f'Repeat: k must be an int of at least 1, got {k!r}')}$"):
        Repeat(k, LIN(2, 3, 3))


@pytest.mark.parametrize(
    ("inner", "takes", "gives"),
    [
        (lambda: LIN(2, 3, 4), "Mat[2, 3]", "Mat[2, 4]"),
        (lambda: NB(2, 3, 3) >> NB(2, 3, 5), "Mat[2, 3]", "Mat[2, 5]"),
        (lambda: SWAP(2, 3, 4), "tuple[Mat[2, 3], Mat[2, 4]]", "tuple[Mat[2, 4], Mat[2, 3]]"),
    ],
)
@pytest.mark.parametrize("k", [1, 3])
def test_a_layer_that_does_not_keep_its_shape_is_refused(k: int, inner: Any, takes: str, gives: str) -> None:
    layer = inner()
    text = f"Repeat: {layer} takes {takes}, gives {gives}; a repeated layer must keep its shape"
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        Repeat(k, layer)


@pytest.mark.parametrize("inner", [lambda: FIRST(2, 3, 3), lambda: RELU(2, 3) >> FIRST(2, 3, 3)])
def test_copies_need_the_input_gradient_of_the_next(inner: Any) -> None:
    layer = inner()
    text = f"Repeat: {layer} gives no gradient of its input, which the copy before it needs"
    with pytest.raises(ConfigError, match=f"^{re.escape(text)}$"):
        Repeat(2, layer)
    model: Any = Repeat(1, layer)
    assert not model.info.input_gradient
    with pytest.raises(ConfigError, match=r"gives no gradient of its input, but Linear\(2, 3, 3\) before it"):
        LIN(2, 3, 3) >> model


def test_what_it_knows_of_itself() -> None:
    layer: Any = LIN(2, 3, 3)
    model: Any = Repeat(4, layer)
    assert model.info.takes == model.info.gives == layer.info.takes
    assert model.info.parts == (layer,)
    assert "Linear(2, 3, 3)" in str(model)
    silent: Any = Repeat(4, dataclasses.replace(layer, info=Info("mine")))
    assert silent.info.takes is silent.info.gives is silent.info.saves is None


def test_it_is_written_as_the_call_that_built_it() -> None:
    assert str(Repeat(4, LIN(2, 3, 3))) == "Repeat(4, Linear(2, 3, 3))"


def test_hundreds_of_copies_do_not_nest() -> None:
    model: Any = Repeat(2000, RELU(1, 1))
    x = np.ones((1, 1), np.float32)
    y, dx, _ = run(model, model.zeros(), x, x)
    assert same_bits(y, x)
    assert same_bits(dx, x)
