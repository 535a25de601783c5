"""Attention of the newest query over the keys before it, against float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.attention_forward import Inputs, attention_forward
from bendtorch.kernels.attention_grid import Heads
from bendtorch.kernels.decode_attention import attend_newest, exponential_row
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

SCALE = np.float32(0.3)


def attended(q: Any, keys: Any, values: Any, n: int, kv: int, g: int) -> Any:
    """The output; the room begins with wrong numbers."""
    out, room = np.full(q.size, np.nan, np.float32), np.full((kv * g, q.size + len(keys)), np.nan, np.float32)
    attend_newest(q, keys, values, n, g, SCALE, room, out)
    return out


def exact(q: Any, keys: Any, values: Any, n: int, kv: int, g: int) -> Any:
    """The same in float64."""
    q, k, v = (x.astype(np.float64) for x in (q.reshape(kv, g, -1), keys[:n], values[:n]))
    k, v = k.reshape(n, kv, -1), v.reshape(n, kv, -1)
    scores = np.einsum("hgd,nhd->hgn", q, k) * SCALE
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return np.einsum("hgn,nhd->hgd", weights / weights.sum(axis=2, keepdims=True), v).reshape(-1)


sizes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from([2, 4, 6, 16]))


@given(seed=seeds, sizes=sizes, n=st.integers(1, 150), more=st.integers(0, 3))
def test_against_float64(seed: int, sizes: tuple[int, int, int], n: int, more: int) -> None:
    kv, g, hd = sizes
    q, keys, values = (
        numbers(seed, kv * g * hd),
        numbers(seed + 1, n + more, kv * hd),
        numbers(seed + 2, n + more, kv * hd),
    )
    keys[n:], values[n:] = np.nan, np.inf  # not read
    expected = exact(q, keys, values, n, kv, g)
    assert np.abs(attended(q, keys, values, n, kv, g) - expected).max() <= 2e-6


def test_as_exact_as_the_layers_on_many_keys() -> None:
    kv, g, hd, n = 2, 2, 8, 1500
    q, keys, values = numbers(0, kv * g * hd), numbers(1, n, kv * hd), numbers(2, n, kv * hd)
    expected = exact(q, keys, values, n, kv, g)
    inputs = Inputs(q[None], keys, values, np.full(1, n, np.int64))
    layer = attention_forward(inputs, Heads(1, n, kv, g, hd, True, n - 1), float(SCALE))[0]
    error, allowed = np.abs(attended(q, keys, values, n, kv, g) - expected), np.abs(layer - expected)
    assert math.sqrt(np.mean(error**2)) <= 1.5 * math.sqrt(np.mean(allowed**2)) + 1e-9


def test_scores_of_minus_infinity_weigh_nothing() -> None:
    keys = np.array([[1.0], [np.inf], [2.0]], np.float32)
    out = attended(np.array([-1.0], np.float32), keys, np.array([[3.0], [5.0], [3.0]], np.float32), 3, 1, 1)
    assert abs(out[0] - 3.0) <= 1e-6


def test_the_same_bits_at_any_number_of_threads() -> None:
    q, keys, values = numbers(0, 6 * 8), numbers(1, 90, 16), numbers(2, 90, 16)
    first, *others = at_every_count(lambda: attended(q, keys, values, 90, 2, 3))
    assert all(same_bits(first, other) for other in others)


ROW: Any = exponential_row
row_sizes = st.sampled_from((1, 7, *(shrunk(n, n % 50 + 2) for n in (64, 1024, 1025, 3000))))


@given(size=row_sizes, seed=seeds, scale=st.sampled_from((1e-3, 0.125, 1.0, 7.0)))
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
