"""RoPE's kernel: both orders of pairs, heads of any width, several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.rope import CHUNK, rotate, rotate_spread, spread
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk

ROTATE: Any = rotate
ROTATE_SPREAD: Any = rotate_spread
SPREAD: Any = spread


def expected(x: Any, cos: Any, sin: Any, is_interleaved: bool) -> Any:
    """Each number with its other product rounded to float32 and the sum rounded once: what a fused operation gives."""
    n, half = len(x), cos.shape[1]
    places = np.arange(x.shape[1]).reshape(-1, half, 2) if is_interleaved else None
    columns = places if places is not None else np.arange(x.shape[1]).reshape(-1, 2, half).swapaxes(1, 2)
    first, second = (columns[..., side].reshape(-1) for side in (0, 1))
    turns = np.arange(n) % len(cos)
    c, s = (np.tile(table[turns], (1, len(columns))) for table in (cos, sin))
    a, b, y = x[:, first], x[:, second], np.empty_like(x)
    y[:, first] = (a.astype(np.float64) * c - (b * s)).astype(np.float32)
    y[:, second] = (b.astype(np.float64) * c + (a * s)).astype(np.float32)
    return y


@given(
    n=st.integers(0, 9), t=st.integers(1, 4), h=st.integers(1, 3), half=st.sampled_from([1, 2, 7, 16, 33]), seed=seeds
)
def test_every_number(n: int, t: int, h: int, half: int, seed: int) -> None:
    x, cos, sin = numbers(seed, n, 2 * h * half), numbers(seed + 1, t, half), numbers(seed + 2, t, half)
    for is_interleaved in (False, True):
        y = np.full_like(x, 7)
        ROTATE(x, cos, sin, is_interleaved, y)
        assert np.allclose(y, expected(x, cos, sin, is_interleaved), rtol=0, atol=2e-7 * np.abs(x).max(initial=0))


@pytest.mark.parametrize("is_interleaved", [False, True])
def test_rows_of_every_chunk(is_interleaved: bool) -> None:
    """Equal rows at equal positions are rotated alike, whichever chunk they are in."""
    half, t = 4, 3
    n = shrunk(3 * (CHUNK // (2 * half)) + 5, 30)
    x, cos, sin = np.tile(numbers(0, 1, 2 * half), (n, 1)), numbers(1, t, half), numbers(2, t, half)
    y = np.empty_like(x)
    ROTATE(x, cos, sin, is_interleaved, y)
    assert same_bits(y, y[np.arange(n) % t])
    assert np.allclose(y[:t], expected(x[:t], cos, sin, is_interleaved), rtol=0, atol=1e-6)


@given(n=st.integers(0, 9), t=st.integers(1, 4), h=st.integers(1, 3), half=st.integers(1, 9), seed=seeds)
def test_spread_tables_give_the_same_bits(n: int, t: int, h: int, half: int, seed: int) -> None:
    """NaN and infinities stay in their pairs; a NaN's sign says nothing."""
    x, cos, sin = numbers(seed, n, 2 * h * half), numbers(seed + 1, t, half), numbers(seed + 2, t, half)
    x.ravel()[seed % 3 :: 5] = [np.nan, np.inf, -np.inf][seed % 3]
    for is_interleaved in (False, True):
        y, other = np.full_like(x, 7), np.full_like(x, 9)
        ROTATE(x, cos, sin, is_interleaved, y)
        ROTATE_SPREAD(x, *SPREAD(cos, sin, h, is_interleaved), 1 if is_interleaved else half, other)
        nan = np.isnan(y)
        assert np.array_equal(nan, np.isnan(other))
        assert same_bits(y[~nan], other[~nan])


def test_spread_tables_of_rows_in_every_chunk() -> None:
    """A chunk may begin in the middle of a sequence."""
    half, t = 4, 7
    n = shrunk(3 * (CHUNK // (2 * half)) + 5, 30)
    x, cos, sin = numbers(0, n, 2 * half), numbers(1, t, half), numbers(2, t, half)
    y, other = np.empty_like(x), np.empty_like(x)
    ROTATE(x, cos, sin, False, y)
    ROTATE_SPREAD(x, *SPREAD(cos, sin, 1, False), half, other)
    assert same_bits(y, other)
