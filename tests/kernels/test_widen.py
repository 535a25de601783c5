"""Weights in 16 bits, widened: every pattern of bits, and the products that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.compile import JIT
from bendtorch.kernels.widen import narrow_all, wide_product, wide_rows, widen_all
from tests.support.arrays import numbers, same_bits, same_numbers
from tests.support.bfloat16 import rounded
from tests.support.sizes import seeds
from tests.support.threads import at_every_count

STORED = pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16"])
PATTERNS: Any = np.arange(0, 1 << 16, 1 if JIT else 97).astype(np.uint16)


def stored(x: Any, kind: str) -> Any:
    """Numbers as cells of a kind; by truncation, which any cells are some numbers' of."""
    if kind == "bfloat16":
        return (x.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return x if kind == "float32" else x.astype(np.float16).view(np.int16)


def widened(cells: Any) -> Any:
    """What cells stand for, by numpy."""
    if cells.dtype == np.uint16:
        return (cells.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return cells if cells.dtype == np.float32 else cells.view(np.float16).astype(np.float32)


def test_every_bfloat16() -> None:
    out = np.empty(PATTERNS.size, np.float32)
    widen_all(PATTERNS, out)
    assert same_numbers(out, widened(PATTERNS))


def test_every_float16() -> None:
    cells, out = PATTERNS.view(np.int16), np.empty(PATTERNS.size, np.float32)
    widen_all(cells, out)
    assert same_numbers(out, widened(cells))


def test_float32_stays() -> None:
    x, out = numbers(0, 1000), np.empty(1000, np.float32)
    widen_all(x, out)
    assert same_bits(out, x)


@given(seed=seeds, count=st.integers(0, 300))
def test_narrowed_to_nearest_even(seed: int, count: int) -> None:
    x, out = numbers(seed, count), np.empty(count, np.uint16)
    narrow_all(x, out)
    assert same_bits(widened(out), rounded(x))


@STORED
@given(seed=seeds, count=st.integers(0, 300))
def test_a_product_is_a_sum_of_the_wide_numbers(kind: str, seed: int, count: int) -> None:
    w, x = stored(numbers(seed, count), kind), numbers(seed + 1, count)
    terms = widened(w).astype(np.float64) * x
    assert abs(wide_product(w, x) - terms.sum()) <= 2e-6 * np.abs(terms).sum()


@STORED
@given(seed=seeds, rows=st.integers(1, 9), columns=st.integers(1, 40), start=st.integers(0, 5))
def test_rows_of_a_table(kind: str, seed: int, rows: int, columns: int, start: int) -> None:
    table = stored(numbers(seed, start + rows * columns), kind)
    ids = np.random.default_rng(seed).integers(0, rows, 7)
    out = np.empty((7, columns), np.float32)
    wide_rows(table, start, ids, out)
    assert same_bits(out, widened(table[start:]).reshape(rows, columns)[ids])


def test_the_same_bits_at_any_number_of_threads() -> None:
    x = numbers(1, 200_000 if JIT else 300)

    def both() -> Any:
        cells, out = np.empty(x.size, np.uint16), np.empty(x.size, np.float32)
        narrow_all(x, cells)
        widen_all(cells, out)
        return out

    first, *others = at_every_count(both)
    assert all(same_bits(first, other) for other in others)
