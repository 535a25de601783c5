"""The softmax down the columns of a tile, and its gradient, against float64; what a query does not see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import attention_columns, attention_grid, panels
from bendtorch.kernels.attention_grid import Heads
from bendtorch.kernels.lanes import LANES, put_lanes
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.sizes import seeds, shrunk

PANEL, PLACE_OF = panels.panel, attention_grid.place_of
EXPONENTIALS, GRADIENTS = attention_columns.exponential_columns, attention_columns.gradient_columns
PUT = put_lanes
UNIT = 2.0**-24


@compiled
def exponentials(tile: Any, m: int, causal: bool, offset: int, column: int, scale: Any, totals: Any) -> None:
    """A block of m queries and as many keys as the tile has rows."""
    heads = Heads(m, tile.shape[0], 1, 1, 1, causal, offset)
    place = PLACE_OF(0, 0, 0, tile.shape[0], heads)
    PUT(EXPONENTIALS(PANEL(tile), place, column, heads, scale), totals.ctypes.data)


@compiled
def gradients(p: Any, d: Any, m: int, causal: bool, offset: int, column: int, scale: Any) -> None:
    heads = Heads(m, p.shape[0], 1, 1, 1, causal, offset)
    GRADIENTS(PANEL(p), PANEL(d), PLACE_OF(0, 0, 0, p.shape[0], heads), column, heads, scale)


def seen(n: int, m: int, causal: bool, offset: int) -> Any:
    """Which keys (rows) the queries (columns) see."""
    keys, queries = np.arange(n)[:, None], np.arange(m)[None, :]
    return (keys <= queries + offset) if causal else np.ones((n, m), np.bool_)


def softmax(x: Any, visible: Any, scale: float) -> tuple[Any, Any]:
    """Exponentials and their sums in float64."""
    scores = np.where(visible, x.astype("f8"), -np.inf)
    e = np.exp((scores - scores.max(0)) * scale)
    return e, e.sum(0)


blocks = st.sampled_from([1, 3, 16, 17, 32])
lengths = st.sampled_from([1, 7, 16, 33, shrunk(200, 40)])
columns = st.sampled_from([0, LANES])


@pytest.mark.parametrize("causal", [True, False])
@given(n=lengths, m=blocks, column=columns, scale=st.sampled_from([1e-3, 0.125, 5.0]), seed=seeds)
def test_exponentials(causal: bool, n: int, m: int, column: int, scale: float, seed: int) -> None:
    """Zeros where nothing is seen, be it NaN before; beside the columns nothing is written."""
    column, offset = column if m > LANES else 0, max(0, n - m)
    visible = seen(n, m, causal, offset)[:, column : column + LANES]
    tile, totals = numbers(seed, n, 2 * LANES, scale=3.0), np.zeros(LANES, np.float32)
    tile[:, column : column + visible.shape[1]][~visible] = np.nan
    before = tile.copy()
    with np.errstate(all="ignore"):
        exponentials(tile, m, causal, offset, column, np.float32(scale), totals)
    x = before[:, column : column + visible.shape[1]]
    e, total = softmax(x, visible, float(np.float32(scale)))
    found, largest = tile[:, column : column + visible.shape[1]], np.abs(np.nan_to_num(x)).max()
    assert np.all(np.abs(found - e) <= (8 * scale * largest + 3) * UNIT * e + 1e-44)
    assert np.all(np.abs(totals[: visible.shape[1]] - total) <= (8 * scale * largest + n / 16 + 20) * UNIT * total)
    assert not found[~visible].any()
    outside = np.ones(2 * LANES, np.bool_)
    outside[column : column + LANES] = False
    assert same_bits(tile[:, outside], before[:, outside])


@pytest.mark.parametrize("values", [[-np.inf], [-np.inf] * 5])
def test_columns_with_nothing_to_see(values: list[float]) -> None:
    tile, totals = np.repeat(np.array(values, np.float32)[:, None], LANES, 1), np.zeros(LANES, np.float32)
    with np.errstate(all="ignore"):
        exponentials(tile, LANES, False, 0, 0, np.float32(0.5), totals)
    assert not tile.any()
    assert np.all(totals == 1)


@pytest.mark.parametrize("values", [[np.nan, -np.inf], [-np.nan, 1.0], [np.inf, 1.0], [2.0, np.nan, np.inf]])
def test_columns_that_are_no_softmax_have_no_total(values: list[float]) -> None:
    tile, totals = np.repeat(np.array(values, np.float32)[:, None], LANES, 1), np.zeros(LANES, np.float32)
    with np.errstate(all="ignore"):
        exponentials(tile, LANES, False, 0, 0, np.float32(0.5), totals)
    assert np.isnan(totals).all()


@pytest.mark.parametrize("causal", [True, False])
@given(n=lengths, m=blocks, seed=seeds, around=st.sampled_from((0.0, 100.0, -3e4)))
def test_gradients(causal: bool, n: int, m: int, seed: int, around: float) -> None:
    """As exact where all gradients lie around a large number, which softmax does not see."""
    offset = max(0, n - m)
    visible = seen(n, m, causal, offset)
    p, d = numbers(seed, n, 2 * LANES, scale=2.0), numbers(seed + 1, n, 2 * LANES) + np.float32(around)
    x, slopes = p[:, :m].copy(), np.where(visible, d[:, :m].astype("f8"), 0)
    d[:, :m][~visible] = np.nan
    with np.errstate(all="ignore"):
        for column in range(0, m, LANES):
            gradients(p, d, m, causal, offset, column, np.float32(0.5))
    e, total = softmax(x, visible, 0.5)
    weights = e / total
    ds = 0.5 * weights * (slopes - np.sum(weights * slopes, 0))
    assert np.allclose(p[:, :m], weights, rtol=3e-6, atol=1e-12)
    deviation = np.abs(ds).sum(0) + np.max(0.5 * weights, 0)
    assert np.all(np.abs(d[:, :m] - ds) <= 1e-5 * (np.abs(ds) + weights * deviation))
    assert not p[:, :m][~visible].any()
    assert not d[:, :m][~visible].any()


def test_a_sure_choice_has_no_gradient() -> None:
    p, d = np.zeros((3, LANES), np.float32), np.zeros((3, LANES), np.float32)
    p[1], d[:] = 300, np.array([[1.7], [-2.3], [5.1]], np.float32)
    with np.errstate(all="ignore"):
        gradients(p, d, LANES, False, 0, 0, np.float32(1))
    assert p[:, 0].tolist() == [0, 1, 0]
    assert not d.any()
