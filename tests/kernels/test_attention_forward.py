"""Attention's forward kernel: a row's exponentials; queries that stand somewhere among more keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.attention_forward import SHORT, Inputs, attention_forward, exponential_row, exponential_tile
from bendtorch.kernels.attention_grid import Heads, place_of
from bendtorch.kernels.panels import panel
from tests.support.arrays import numbers, same_numbers, special_numbers
from tests.support.sizes import seeds, shrunk

ROW: Any = exponential_row
TILE: Any = exponential_tile
sizes = st.sampled_from((1, 7, *(shrunk(n, n % 50 + 2) for n in (64, 1024, 1025, 3000))))


@given(size=sizes, seed=seeds, scale=st.sampled_from((1e-3, 0.125, 1.0, 7.0)))
def test_a_row(size: int, seed: int, scale: float) -> None:
    x = numbers(seed, size, scale=3.0)
    factor = np.float64(np.float32(scale))
    argument = (x.astype("f8") - np.float64(x.max())) * factor
    total = ROW(x, np.float32(scale))
    assert np.all(np.abs(x - np.exp(argument)) <= (3 * np.abs(argument) + 2) * 2.0**-24 * np.exp(argument) + 1e-44)
    assert total == pytest.approx(x.astype("f8").sum(), rel=1e-6)
    assert x.max() == 1


@pytest.mark.parametrize("values", [[], [-np.inf], [-np.inf] * 5])
def test_a_row_with_nothing_to_see(values: list[float]) -> None:
    x = np.array(values, np.float32)
    assert ROW(x, np.float32(0.5)) == 1
    assert not x.any()


@pytest.mark.parametrize("values", [[np.nan, -np.inf], [-np.nan, 1.0], [np.inf, 1.0], [2.0, np.nan, np.inf]])
def test_a_row_that_is_no_softmax_has_no_total(values: list[float]) -> None:
    with np.errstate(all="ignore"):
        assert np.isnan(ROW(np.array(values, np.float32), np.float32(0.5)))


@given(seed=seeds, keys=st.sampled_from((1, 5, 16, SHORT)), more=st.integers(0, 3), causal=st.booleans())
def test_short_rows_together_have_the_bits_of_each(seed: int, keys: int, more: int, causal: bool) -> None:
    """Whatever is not seen, be it what was in memory before."""
    heads: Any = Heads(keys, keys, 1, 1, 3, causal, 0)
    place: Any = place_of(0, 0, 0, max(1, keys - more), heads)
    m, width = place.high - place.low, min(SHORT, keys + more)
    tile = special_numbers(seed, m, width)
    tile[0, 0] = -np.inf
    rows, totals = tile.copy(), np.empty(m)
    with np.errstate(all="ignore"):
        TILE(place, panel(tile), totals, heads, np.float32(0.5))
        for i in range(m):
            seen = min(i + 1, place.length) if causal else place.length
            assert same_numbers(totals[i : i + 1], np.array([ROW(rows[i, :seen], np.float32(0.5))]))
            assert same_numbers(tile[i, :seen], rows[i, :seen])
            assert not tile[i, seen:].any()


@pytest.mark.parametrize("causal", [True, False])
@given(seed=seeds, queries=st.integers(1, 5), more=st.integers(0, 4))
def test_last_queries_among_more_keys(causal: bool, seed: int, queries: int, more: int) -> None:
    """Queries with an offset have the rows that they have among all queries."""
    keys, b, kv, g, hd = queries + more, 2, 2, 2, 3
    q, k, v = (numbers(seed + i, b * keys, width) for i, width in enumerate((kv * g * hd, kv * hd, kv * hd)))
    lengths = np.full(b, keys)
    whole = attention_forward(Inputs(q, k, v, lengths), Heads(keys, keys, kv, g, hd, causal, 0), 0.5)

    def last(array: Any) -> Any:
        return np.ascontiguousarray(array.reshape(b, keys, -1)[:, more:]).reshape(b * queries, -1)

    part = attention_forward(Inputs(last(q), k, v, lengths), Heads(queries, keys, kv, g, hd, causal, more), 0.5)
    assert np.allclose(part, last(whole), rtol=1e-5, atol=1e-6)
