"""Attention's indices: how work is cut; L57 to L59 prove the rest (laws/test_attention.py)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import attention_grid as grid
from bendtorch.kernels.attention_grid import BLOCK, MOST_RUNS, Heads

counts = st.integers(1, 300)


@given(st.integers(0, 1000))
def test_runs_are_never_empty(items: int) -> None:
    runs = grid.run_count(items)
    assert runs == min(items, MOST_RUNS)
    bounds: Any = grid.run_bounds
    assert all(low < high for low, high in (bounds(run, runs, items) for run in range(runs)))


@given(counts, counts)
def test_blocks_cover_the_queries(queries: int, keys: int) -> None:
    count: Any = grid.block_count
    bounds: Any = grid.block_bounds
    blocks = [bounds(block, queries) for block in range(count(queries))]
    assert [i for low, high in blocks for i in range(low, high)] == list(range(queries))
    assert all(0 < high - low <= BLOCK for low, high in blocks)
    heads = Heads(queries, keys, 2, 3, 4, True, 0)
    assert grid.forward_items(5, heads) == 5 * 6 * len(blocks)
    assert grid.backward_items(5, heads) == 10


@given(st.integers(1, 200))
def test_neighbours_in_the_folded_order_have_equal_work(blocks: int) -> None:
    """A thread's run of pieces has as much to do as another's: block i sees i + 1 blocks of keys."""
    folded: Any = grid.folded
    order = [folded(i, blocks) for i in range(blocks)]
    assert sorted(order) == list(range(blocks))
    assert {order[i] + order[i + 1] for i in range(0, blocks - 1, 2)} <= {blocks - 1}


@given(counts, st.integers(0, 50), counts, st.booleans())
def test_a_tile_has_what_its_last_query_sees(queries: int, offset: int, keys: int, causal: bool) -> None:
    """Also for queries that stand somewhere among the keys, as when decoding."""
    place_of: Any = grid.place_of
    heads = Heads(queries, keys, 2, 3, 4, causal, offset)
    for block in range(-(-queries // BLOCK)):
        place = place_of(1, 5, block, keys, heads)
        assert (place.sequence, place.head, place.reads, place.length) == (1, 5, 1, keys)
        assert place.n == (min(keys, offset + place.high) if causal else keys)


def test_sizes_keep_their_order() -> None:
    heads = Heads(1, 2, 3, 4, 5, True, 6)
    assert grid.sizes_of(heads) == tuple(heads)
