"""Pairs of parameters: L38, L45, L47, L48."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ShapeError
from bendtorch.layer import Leaf, matrix, no_params, uniform_init, zeros_init
from bendtorch.layer.pair import pair
from bendtorch.layers.linear import linear_params
from bendtorch.optim.state import join_state, new_state, split_state
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
        st_both = new_state(optimizer, both.zeros)
        (p1, p2), (g1, g2) = snapshot(p), snapshot(g)
        st1, st2 = split_state(snapshot(st_both))
        for t in (1, 2):
            opt = optimizer.at(t)
            together = both.step(opt, p, g, st_both)
            one, two = first.step(opt, p1, g1, st1), second.step(opt, p2, g2, st2)
            assert all_same_bits(together.p, (one.p, two.p))
            assert not any(array.any() for array in as_lists(together.g))
            joined = join_state(one.st, two.st)
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
    both.step(optimizer.at(1), p, g, new_state(optimizer, both.zeros))
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
