"""The cache grows with the text and keeps what it holds."""

from __future__ import annotations

import numpy as np
import pytest

from bendtorch.errors import ConfigError
from bendtorch.generate.cache import FIRST, Positions, room_of
from bendtorch.layers.rope import rope_tables
from tests.support.arrays import same_bits
from tests.support.decoding import TIED


def test_it_doubles_up_to_the_context() -> None:
    positions, seen = Positions(TIED, 900), []
    for count in range(900):
        positions.count = count
        positions.require(1)
        seen.append(positions.capacity)
    assert sorted(set(seen)) == [FIRST, 2 * FIRST, 900]
    positions.count = 900
    with pytest.raises(ConfigError, match="900 tokens and 1 more do not fit into the context of 900"):
        positions.require(1)


def test_a_small_context_takes_no_more() -> None:
    assert Positions(TIED, 5).capacity == 5


def test_growing_keeps_what_is_there() -> None:
    positions = Positions(TIED, 2000)
    positions.cache.keys[:], positions.cache.values[:] = 1.5, 2.5
    positions.cache.keys[1, 7] = 3.5
    positions.count = 10
    positions.require(1000)
    keys, values = positions.cache.keys[:, :10], positions.cache.values[:, :10]
    assert positions.capacity == 1010
    assert keys[1, 7, 0] == 3.5
    assert np.count_nonzero(keys == 1.5) == keys.size - keys.shape[2]
    assert np.all(values == 2.5)


def test_the_tables_are_those_of_rope() -> None:
    cos, sin, _ = rope_tables(300, TIED.half, TIED.base, 0)
    positions = Positions(TIED, 300)
    positions.require(300)
    assert same_bits(positions.cache.cos, cos)
    assert same_bits(positions.cache.sin, sin)


def test_room_has_a_score_for_every_position() -> None:
    positions = Positions(TIED, 2000)
    positions.require(700)
    assert positions.heads.shape == (TIED.heads, TIED.head_dim + 700)
    assert room_of(TIED, positions.heads).logits.shape == (TIED.vocabulary,)
