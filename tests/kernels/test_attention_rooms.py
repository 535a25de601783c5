"""Attention's working spaces: their parts lie apart, each with room for what is written there (proved in L60, too)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.attention_grid import BLOCK, LINE, Heads
from bendtorch.kernels.attention_rooms import key_room_size
from bendtorch.kernels.lanes import LANES
from bendtorch.laws.proofs.plain import plain_kernels

OF: Any = plain_kernels()
counts = st.integers(1, 300)
heads_of_any_size = st.builds(
    Heads, counts, counts, st.integers(1, 3), st.integers(1, 3), counts, st.booleans(), st.integers(0, 9)
)


@given(heads_of_any_size, st.sampled_from(["key_room", "query_room", "backward_room"]))
def test_parts_lie_one_after_another(heads: Heads, name: str) -> None:
    *parts, end = getattr(OF.attention_rooms, name)(4 * LINE, heads)
    places = [part.address for part in parts]
    assert places[0] == 4 * LINE
    assert places == sorted(set(places))
    assert all(place % (4 * LINE) == 0 and part.stride % LANES == 0 for place, part in zip(places, parts, strict=True))
    assert end > places[-1]


def test_the_size_is_where_a_room_at_nothing_ends() -> None:
    heads = Heads(40, 50, 2, 3, 20, True, 10)
    assert key_room_size(heads) == OF.attention_rooms.key_room(0, heads).end
    assert OF.attention_rooms.room_at(3, 100, 7) == 307


@given(st.integers(0, 10**6))
def test_a_line(address: int) -> None:
    line = OF.attention_rooms.line_at(address)
    assert address <= line < address + 4 * LINE
    assert line % (4 * LINE) == 0


def test_a_tile_has_a_column_for_each_query() -> None:
    assert OF.strips.whole(BLOCK) >= BLOCK
    assert LINE == LANES
