"""Optimizer states split and join as parameters do (L45)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.optim import SGD, Adam, AdamW, Momentum, NoMoments, OneMoment, TwoMoments
from bendtorch.optim.state import join_state, map_state, new_state, split_state

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
    first, second = split_state(state)
    assert type(first) is type(second) is type(state)
    assert join_state(first, second) == state


@given(state=states, a=values, b=values)
def test_map_composes(state: Any, a: int, b: int) -> None:
    def add(number: int) -> Any:
        return lambda pair: (pair[0] + number, pair[1] - number)

    assert map_state(map_state(state, add(a)), add(b)) == map_state(state, add(a + b))
    assert map_state(state, lambda pair: pair) == state


@given(state=states)
def test_split_gives_each_part_its_share(state: Any) -> None:
    first, second = split_state(state)
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
                    join_state(first, second)
