"""Attention's tiles: products of panels in strips of keys or queries, and what NaN and infinities reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import attention_grid as grid
from bendtorch.kernels import attention_tiles as tiles
from bendtorch.kernels import panels, strips
from bendtorch.kernels.attention_grid import BLOCK, Heads
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds, shrunk

PANEL, PLACE_OF, WHOLE = panels.panel, grid.place_of, strips.whole
SCORE_TILE, WEIGH, SPREAD = tiles.score_tile, tiles.weigh, tiles.spread
WEIGH_SEEN, SPREAD_SEEN = tiles.weigh_seen, tiles.spread_seen

heights = st.sampled_from((1, 2, 5, shrunk(32, 3)))
lengths = st.sampled_from((1, 3, *(shrunk(n, n % 7 + 1) for n in (63, 64, 129, 300))))
sides = st.sampled_from((1, 2, shrunk(17, 4), shrunk(64, 5)))


def room(rows: int, width: int) -> Any:
    """Wrong numbers, with room for whole vectors."""
    return np.full((rows, -(-width // 32) * 32), np.nan, np.float32)


def laid(x: Any) -> Any:
    """x with room for whole vectors, as a factor of a strip."""
    out = room(*x.shape)
    out[:, : x.shape[1]] = x
    return out


@compiled
def scores(keys: Any, queries: Any, m: int, n: int, hd: int, tile: Any) -> None:
    heads = Heads(m, n, 1, 1, hd, False, 0)
    SCORE_TILE(PANEL(keys), PANEL(queries), PLACE_OF(0, 0, 0, n, heads), heads, PANEL(tile))


@compiled
def weighted(tile: Any, x: Any, m: int, n: int, hd: int, out: Any) -> None:
    heads = Heads(m, n, 1, 1, hd, False, 0)
    WEIGH(PANEL(tile), PLACE_OF(0, 0, 0, n, heads), heads, PANEL(x), PANEL(out))


@compiled
def added(tile: Any, x: Any, m: int, n: int, hd: int, out: Any, add: int) -> None:
    heads = Heads(m, n, 1, 1, hd, False, 0)
    SPREAD(PANEL(tile), PLACE_OF(0, 0, 0, n, heads), heads, PANEL(x), PANEL(out), add)


@compiled
def seen_passes(tile: Any, keys: Any, queries: Any, finite: Any, hd: int, sound: bool, mixed: Any, spread: Any) -> None:
    """A sequence of one head and one block, causal. `finite`: the keys' finite part, then that of the queries."""
    t = keys.shape[0]
    heads = Heads(t, t, 1, 1, hd, True, 0)
    place = PLACE_OF(0, 0, 0, t, heads)
    WEIGH_SEEN(PANEL(tile), place, heads, PANEL(finite[0]), PANEL(keys), sound, PANEL(mixed))
    SPREAD_SEEN(PANEL(tile), place, heads, PANEL(finite[1]), PANEL(queries), sound, PANEL(spread), 0)


@given(m=heights, n=lengths, hd=sides, seed=seeds)
def test_products(m: int, n: int, hd: int, seed: int) -> None:
    q, k, x = numbers(seed, m, hd), numbers(seed + 1, n, hd), numbers(seed + 2, n, hd)
    tile, out, more = room(n, BLOCK), np.full((m, hd), np.nan, np.float32), numbers(seed, n, hd)
    scores(k, laid(np.ascontiguousarray(q.T)), m, n, hd, tile)
    assert product(k.astype("f8"), q.T.astype("f8")).holds(tile[:, :m])
    weighted(tile, laid(x), m, n, hd, out)
    weights = tile[:, :m].astype("f8")
    assert product(weights.T, x.astype("f8")).holds(out)
    exact, before = product(weights, q.astype("f8"), more=2), more.astype("f8")
    added(tile, laid(q), m, n, hd, more, 1)
    assert np.all(np.abs(more - before - exact.value) <= exact.bound + 2.0**-22 * np.abs(before))


def test_no_keys_weigh_nothing() -> None:
    out = np.full((3, 2), np.nan, np.float32)
    weighted(room(1, 3), room(1, 2), 3, 0, 2, out)
    assert not out.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@given(t=st.integers(1, 30), hd=sides, row=st.integers(0, 29), seed=seeds)
def test_what_is_not_finite_reaches_what_sees_it_alone(value: float, t: int, hd: int, row: int, seed: int) -> None:
    """A key's number reaches its own and later queries, a query's its own and earlier keys; no other bit changes."""
    tile = np.triu(np.abs(numbers(seed, t, t)) + np.float32(1))
    keys, queries = numbers(seed + 1, t, hd), numbers(seed + 2, t, hd)

    def run() -> tuple[Any, Any]:
        mixed, spread = np.empty((t, hd), np.float32), np.empty((t, hd), np.float32)
        finite = np.stack([laid(np.where(np.isfinite(x), x, np.float32(0))) for x in (keys, queries)])
        sound = bool(np.isfinite(keys).all())
        with np.errstate(all="ignore"):
            seen_passes(laid(tile), keys, queries, finite, hd, sound, mixed, spread)
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
