"""Pairs of parameters: L38, L45, L47, L48."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.combine.repeat import repeated
from bendtorch.errors import ShapeError
from bendtorch.layer import Leaf, matrix, no_params, uniform_init, zeros_init
from bendtorch.layer.pair import pair
from bendtorch.layers.linear import linear_params
from bendtorch.optim.state import join_states, new_state, split_state
from tests.support.arrays import all_same_bits, as_lists, numbers, same_bits, snapshot
from tests.support.params import OPTIMIZERS, PARAMS_CHECKS, as_lists_of_state, random_like
from tests.support.sizes import seeds

MATRIX: Any = matrix
LINEAR: Any = linear_params
sides = st.integers(1, 5)
singles: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda r, c: MATRIX(r, c, "weight", uniform_init(0.5)), sides, sides),
    st.builds(LINEAR, sides, sides),
    st.builds(no_params),
)
params: st.SearchStrategy[Any] = st.recursive(singles, lambda inner: st.builds(pair, inner, inner), max_leaves=5)


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@given(first=params, second=params, seed=seeds)
def test_pairs_pass_the_checks_of_all_parameters(check: Any, first: Any, second: Any, seed: int) -> None:
    check(pair(first, second), seed)


@given(first=params, second=params, seed=seeds)
def test_dump_is_the_concatenation_and_count_the_sum(first: Any, second: Any, seed: int) -> None:
    both, p, q = pair(first, second), random_like(first, seed), random_like(second, seed + 1)
    assert same_bits(both.dump((p, q)), np.concatenate([first.dump(p), second.dump(q)]))
    assert both.count() == first.count() + second.count()


@given(first=params, second=params, seed=seeds)
def test_a_step_is_the_pair_of_steps(first: Any, second: Any, seed: int) -> None:
    both = pair(first, second)
    for optimizer in OPTIMIZERS:
        p, g = random_like(both, seed), random_like(both, seed + 1)
        st_both = new_state(optimizer, both.zeros, both.count())
        (p1, p2), (g1, g2) = snapshot(p), snapshot(g)
        st1, st2 = split_state(snapshot(st_both), (first.count(), second.count()))
        for t in (1, 2):
            opt = optimizer.at(t)
            together = both.step(opt, p, g, st_both)
            one, two = first.step(opt, p1, g1, st1), second.step(opt, p2, g2, st2)
            assert all_same_bits(together.p, (one.p, two.p))
            assert not any(array.any() for array in as_lists(together.g))
            joined = join_states([one.st, two.st])
            for name in ("m", "v"):
                if hasattr(joined, name):
                    assert all_same_bits(getattr(together.st, name), getattr(joined, name))
            both.load(g, numbers(seed + t, both.count()), 0)
            both.load((g1, g2), numbers(seed + t, both.count()), 0)
        assert type(st_both) is type(together.st)


@given(first=params, second=params)
def test_leaves_are_numbered(first: Any, second: Any) -> None:
    names = [leaf.name for leaf in pair(first, second).leaves]
    assert names == [*(f"0.{leaf.name}" for leaf in first.leaves), *(f"1.{leaf.name}" for leaf in second.leaves)]
    own = (Leaf("mine", (1, 1), zeros_init),)
    assert pair(first, second, own).leaves == own


@given(first=params, second=params, seed=seeds)
def test_a_pair_has_a_view_only_when_both_have(first: Any, second: Any, seed: int) -> None:
    import dataclasses

    without = dataclasses.replace(second, view=None)
    assert pair(first, without).view is None
    assert pair(without, first).view is None
    assert pair(first, second).view is not None


@given(seed=seeds)
def test_a_part_with_a_step_of_its_own_is_honoured(seed: int) -> None:
    """Its step is called with its own share, and the pair no longer claims the bits of a flat step."""
    import dataclasses

    first, second = MATRIX(2, 3), MATRIX(3, 2)
    calls: list[Any] = []

    def frozen(opt: Any, p: Any, g: Any, state: Any) -> Any:
        calls.append((p, as_lists_of_state(state)))
        g[...] = 0
        return second.step(opt, p, g * 0, state)

    both: Any = pair(first, dataclasses.replace(second, step=frozen))
    assert not both.step.elementwise
    assert pair(first, second).step.elementwise  # type: ignore[attr-defined]
    p, g = random_like(both, seed), random_like(both, seed + 1)
    before = snapshot(p)
    optimizer = OPTIMIZERS[0]
    both.step(optimizer.at(1), p, g, new_state(optimizer, both.zeros, both.count()))
    assert calls[0][0] is p[1]
    assert same_bits(p[1], before[1])
    assert not same_bits(p[0], before[0])


@given(seed=seeds)
def test_too_little_room_for_the_second_changes_nothing_of_the_first(seed: int) -> None:
    both = pair(MATRIX(2, 3), MATRIX(2, 2))
    p, flat = random_like(both, seed), numbers(seed + 1, 9)
    before = snapshot(p)
    with pytest.raises(ShapeError):
        both.load(p, flat, 0)
    assert all_same_bits(p, before)
    kept = flat.copy()
    with pytest.raises(ShapeError):
        both.store(p, flat, 0)
    assert same_bits(flat, kept)


@given(seed=seeds)
def test_a_second_part_that_does_not_fit_changes_nothing_of_the_first(seed: int) -> None:
    both = pair(MATRIX(2, 3), MATRIX(2, 2))
    p: Any = (numbers(seed, 2, 3), numbers(seed, 5, 5))
    before, flat = snapshot(p), numbers(seed + 1, 10)
    with pytest.raises(ShapeError):
        both.load(p, flat, 0)
    assert all_same_bits(p, before)
    room = np.zeros(10, np.float32)
    with pytest.raises(ShapeError):
        both.store(p, room, 0)
    assert not room.any()


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("nesting", ["left", "right", "middle", "repeat"])
def test_no_part_is_written_when_one_does_not_fit(nesting: str, place: int) -> None:
    """Wherever it is nested, and whatever is wrong with it: its size, or that it cannot be written."""
    one = MATRIX(2, 3)
    build: dict[str, Any] = {
        "left": lambda a, b, c, d: (((a, b), c), d),
        "right": lambda a, b, c, d: (a, (b, (c, d))),
        "middle": lambda a, b, c, d: ((a, b), (c, d)),
        "repeat": lambda *parts: parts,
    }
    composites: dict[str, Any] = {
        "left": pair(pair(pair(one, one), one), one),
        "right": pair(one, pair(one, pair(one, one))),
        "middle": pair(pair(one, one), pair(one, one)),
        "repeat": repeated(4, one),
    }
    frozen = numbers(9, 2, 3)
    frozen.flags.writeable = False
    for wrong in (numbers(9, 3, 2), frozen):
        parts = [numbers(seed, 2, 3) for seed in range(4)]
        parts[place] = wrong
        p, composite = build[nesting](*parts), composites[nesting]
        before = snapshot(p)
        with pytest.raises(ShapeError):
            composite.load(p, numbers(7, 24), 0)
        assert all_same_bits(p, before)
        room = np.zeros(24, np.float32)
        if wrong is not frozen:
            with pytest.raises(ShapeError):
                composite.store(p, room, 0)
            assert not room.any()


def test_another_number_of_copies_changes_nothing() -> None:
    p, room = tuple(numbers(seed, 2, 3) for seed in range(3)), np.zeros(24, np.float32)
    before, four = snapshot(p), repeated(4, MATRIX(2, 3))
    for move in (four.load, four.store):
        with pytest.raises(ShapeError, match="parameters must be a tuple of 4, one for each copy, got a tuple of 3"):
            move(p, room, 0)
    assert all_same_bits(p, before)
    assert not room.any()


@pytest.mark.parametrize("nesting", ["left", "right"])
def test_each_part_is_checked_once_however_deep_it_lies(nesting: str) -> None:
    import dataclasses

    calls: list[str] = []
    one = MATRIX(1, 1)

    def counted(name: str, run: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append(name)
            return run(*arguments)

        return call

    names = ("load", "store", "dump")
    part: Any = dataclasses.replace(one, **{name: counted(name, getattr(one, name)) for name in names})
    deep = part
    for _ in range(29):
        deep = pair(deep, part) if nesting == "left" else pair(part, deep)
    p = deep.zeros()
    deep.load(p, numbers(0, 30), 0)
    assert {name: calls.count(name) for name in names} == {"load": 60, "store": 0, "dump": 30}
    calls.clear()
    deep.store(p, np.zeros(30, np.float32), 0)
    assert {name: calls.count(name) for name in names} == {"load": 0, "store": 30, "dump": 30}
