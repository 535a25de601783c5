"""Attention's tiles: products of panels in runs of keys, and what NaN and infinities reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import attention_grid as grid
from bendtorch.kernels import attention_tiles as tiles
from bendtorch.kernels import panels
from bendtorch.kernels.attention_grid import Heads
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds, shrunk

PANEL, PLACE_OF = panels.panel, grid.place_of
SCORE_TILE, WEIGH, ADD_TO_KEYS = tiles.score_tile, tiles.weigh, tiles.add_to_keys
WEIGH_SEEN, ADD_TO_SEEN = tiles.weigh_seen, tiles.add_to_seen

heights = st.sampled_from((1, 2, 5, shrunk(32, 3)))
lengths = st.sampled_from((1, 3, *(shrunk(n, n % 7 + 1) for n in (63, 64, 65, 130))))
sides = st.sampled_from((1, 2, shrunk(17, 4), shrunk(64, 5)))


@compiled
def scores(q: Any, turned: Any, tile: Any) -> None:
    SCORE_TILE(PANEL(q), q.shape[0], q.shape[1], PANEL(turned), turned.shape[1], PANEL(tile))


@compiled
def weighted(tile: Any, x: Any, n: int, out: Any) -> None:
    WEIGH(PANEL(tile), out.shape[0], n, x.shape[1], PANEL(x), PANEL(out))


@compiled
def added(tile: Any, x: Any, out: Any) -> None:
    ADD_TO_KEYS(PANEL(tile), x.shape[0], out.shape[0], x.shape[1], PANEL(x), PANEL(out))


@compiled
def seen_passes(tile: Any, keys: Any, queries: Any, sound: bool, space: Any, mixed: Any, spread: Any) -> None:
    """A sequence of one head and one block, causal."""
    t, hd = keys.shape
    heads = Heads(t, t, 1, 1, hd, True, 0)
    place = PLACE_OF(0, 0, 0, t, heads)
    WEIGH_SEEN(PANEL(tile), place, heads, PANEL(keys), sound, PANEL(space), PANEL(mixed))
    ADD_TO_SEEN(PANEL(tile), place, heads, PANEL(queries), PANEL(space), PANEL(spread))


@given(m=heights, n=lengths, hd=sides, seed=seeds)
def test_products(m: int, n: int, hd: int, seed: int) -> None:
    q, k, x = numbers(seed, m, hd), numbers(seed + 1, n, hd), numbers(seed + 2, n, hd)
    tile, out, more = np.full((m, n), np.nan, np.float32), np.full((m, hd), np.nan, np.float32), numbers(seed, n, hd)
    scores(q, np.ascontiguousarray(k.T), tile)
    assert product(q.astype("f8"), k.T.astype("f8")).holds(tile)
    weighted(tile, x, n, out)
    assert product(tile.astype("f8"), x.astype("f8")).holds(out)
    exact, before = product(tile.T.astype("f8"), q.astype("f8"), more=2), more.astype("f8")
    added(tile, q, more)
    assert np.all(np.abs(more - before - exact.value) <= exact.bound + 2.0**-22 * np.abs(before))


def test_no_keys_weigh_nothing() -> None:
    out = np.full((3, 2), np.nan, np.float32)
    weighted(np.ones((3, 1), np.float32), np.ones((1, 2), np.float32), 0, out)
    assert not out.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@given(t=st.integers(1, 7), hd=sides, row=st.integers(0, 6), seed=seeds)
def test_what_is_not_finite_reaches_what_sees_it_alone(value: float, t: int, hd: int, row: int, seed: int) -> None:
    """A key's number reaches its own and later queries, a query's its own and earlier keys; no other bit changes."""
    tile = np.tril(np.abs(numbers(seed, t, t)) + np.float32(1))
    keys, queries, space = numbers(seed + 1, t, hd), numbers(seed + 2, t, hd), np.empty((t, hd), np.float32)

    def run() -> tuple[Any, Any]:
        mixed, spread = np.empty((t, hd), np.float32), np.zeros((t, hd), np.float32)
        with np.errstate(all="ignore"):
            seen_passes(tile, keys, queries, bool(np.isfinite(keys).all()), space, mixed, spread)
        return mixed, spread

    mixed, spread = run()
    row, column = row % t, seed % hd
    keys[row, column] = queries[row, column] = value
    new_mixed, new_spread = run()
    reached = np.zeros((t, hd), np.bool_)
    reached[row:, column] = True
    assert np.array_equal(new_mixed[reached], np.full(t - row, value, np.float32), equal_nan=True)
    assert same_bits(new_mixed[~reached], mixed[~reached])
    reached[...] = False
    reached[: row + 1, column] = True
    assert np.array_equal(new_spread[reached], np.full(row + 1, value, np.float32), equal_nan=True)
    assert same_bits(new_spread[~reached], spread[~reached])
