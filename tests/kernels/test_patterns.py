"""Arrays that repeat: what their axes are, and any stretch of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.code_addresses import address_of
from bendtorch.kernels.patterns import load_pattern, pattern
from tests.support.arrays import numbers, same_bits
from tests.support.shapes import some_ones


def test_neighbouring_axes_are_one() -> None:
    assert pattern((5,), (3, 4, 5)) == [(5, 1), (12, 0)]
    assert pattern((3, 1, 1), (3, 4, 5)) == [(20, 0), (3, 1)]
    assert pattern((3, 4, 1), (3, 4, 1)) == [(12, 1)]
    assert pattern((1, 4, 1), (3, 4, 5)) == [(5, 0), (4, 1), (3, 0)]
    assert pattern((), (12,)) == [(12, 0)]
    assert pattern((), ()) == pattern((1,), (1, 1)) == [(1, 0)]
    assert pattern((3, 1, 5), (3, 4, 5)) == [(5, 1), (4, 0), (3, 5)]


@given(
    shape=st.lists(st.sampled_from([1, 2, 3, 5, 40]), min_size=1, max_size=5).map(tuple),
    low=st.integers(0, 10_000),
    size=st.integers(1, 300),
    seed=st.integers(0, 99),
)
def test_any_stretch(shape: tuple[int, ...], low: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = numbers(seed, *some_ones(shape, rng)[int(rng.integers(0, len(shape))) :])
    total = math.prod(shape)
    low %= total
    expected = np.broadcast_to(x, shape).ravel()[low : low + size]
    axes = pattern(x.shape, shape)
    table: Any = np.array([len(axes), *(number for axis in axes for number in axis)])
    room = np.full(expected.size + 2, 7, np.float32)
    load_pattern(table, address_of(x, x.size), low, room[1:-1])
    assert same_bits(room[1:-1], expected)
    assert room[0] == room[-1] == 7
