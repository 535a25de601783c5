"""Optimizer states split and join as parameters do (L45)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.optim import (
    SGD,
    Adam,
    AdamW,
    Momentum,
    NoMoments,
    OneMoment,
    PackedAdamW,
    PackedMoments,
    TwoMoments,
)
from bendtorch.optim.state import join_states, map_state, new_state, rejoined, split_state

STATES: tuple[Any, ...] = (NoMoments, OneMoment, TwoMoments)
values = st.integers()
pairs = st.tuples(values, values)
states: st.SearchStrategy[Any] = st.one_of(
    st.just(NoMoments()), st.builds(OneMoment, pairs), st.builds(TwoMoments, pairs, pairs)
)


@pytest.mark.parametrize(
    ("optimizer", "kind", "buffers"),
    [(SGD(1), NoMoments, 0), (Momentum(1), OneMoment, 1), (Adam(), TwoMoments, 2), (AdamW(), TwoMoments, 2)],
)
def test_a_new_state_has_fresh_zeros_for_each_buffer(optimizer: Any, kind: Any, buffers: int) -> None:
    made: list[Any] = []

    def zeros() -> Any:
        made.append(np.zeros(3, np.float32))
        return made[-1]

    state = new_state(optimizer, zeros)
    assert type(state) is kind
    assert [getattr(state, name) is array for name, array in zip("mv", made, strict=False)] == [True] * buffers


@given(state=states)
def test_join_inverts_split(state: Any) -> None:
    first, second = split_state(state, (1, 1))
    assert type(first) is type(second) is type(state)
    assert join_states([first, second]) == state


@given(state=states, a=values, b=values)
def test_map_composes(state: Any, a: int, b: int) -> None:
    def add(number: int) -> Any:
        return lambda pair: (pair[0] + number, pair[1] - number)

    assert map_state(map_state(state, add(a)), add(b)) == map_state(state, add(a + b))
    assert map_state(state, lambda pair: pair) == state


@given(state=states)
def test_split_gives_each_part_its_share(state: Any) -> None:
    first, second = split_state(state, (1, 1))
    for name in ("m", "v"):
        if hasattr(state, name):
            assert (getattr(first, name), getattr(second, name)) == getattr(state, name)


def test_unlike_halves_are_refused() -> None:
    made: list[Any] = [NoMoments(), OneMoment(1), TwoMoments(1, 2)]
    for first in made:
        for second in made:
            if first is not second:
                kinds = ", ".join(sorted((type(first).__name__, type(second).__name__)))
                text = (
                    f"the parts of a model have optimizer states of different kinds: {kinds}; "
                    "make all for the same optimizer"
                )
                with pytest.raises(ConfigError, match=f"^{text}$"):
                    join_states([first, second])


@given(cells=st.lists(st.integers(0, 5), min_size=1, max_size=5), both=st.booleans())
def test_packed_moments_split_where_the_parts_of_a_dump_end(cells: list[int], both: bool) -> None:
    total = sum(cells)
    state: Any = new_state(PackedAdamW(second=both), lambda: None, total)
    assert state.m.dtype == np.uint16
    assert state.v.dtype == (np.uint16 if both else np.float32)
    state.m[:] = np.arange(total)
    shares: Any = split_state(state, cells)
    assert [share.m.tolist() for share in shares] == [
        list(range(sum(cells[:i]), sum(cells[: i + 1]))) for i in range(len(cells))
    ]
    assert all(np.shares_memory(share.m, state.m) for share in shares if share.m.size)
    joined: Any = join_states(shares)
    assert joined.m.tolist() == state.m.tolist()
    assert joined.v.dtype == state.v.dtype
    assert map_state(state, lambda p: 1 / 0) is state


def test_packed_moments_of_another_size_or_kind_are_refused() -> None:
    state: Any = new_state(PackedAdamW(), lambda: None, 5)
    with pytest.raises(ConfigError, match="packed moments of 5 numbers were given to 6 parameters"):
        split_state(state, (3, 3))
    with pytest.raises(ConfigError, match=r"give cells=model.count\(\)"):
        new_state(PackedAdamW(), lambda: None)
    with pytest.raises(ConfigError, match="optimizer states of different kinds: PackedMoments, PackedMoments"):
        join_states([state, PackedMoments(state.m, np.zeros(5, np.float32))])


def test_a_state_stepped_in_place_stays_itself() -> None:
    state: Any = TwoMoments((1, 2), (3, 4))
    shares = split_state(state, (1, 1))
    assert rejoined(state, shares, shares) is state
    assert rejoined(state, shares, [TwoMoments(5, 6), shares[1]]) == TwoMoments((5, 2), (6, 4))
