"""Sums and maxima of rows, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.rows import CHUNK
from bendtorch.kernels.sums import BLOCK, row_maxima, row_sums
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

edges = st.sampled_from([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])


def summed(x: Any) -> Any:
    out = np.full((len(x), 1), np.nan, np.float32)
    row_sums(x, out)
    return out


@given(n=st.integers(0, 5), c=edges, seed=seeds)
def test_whole_numbers_at_the_edges_of_blocks(n: int, c: int, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-99, 99, (n, c)).astype(np.float32)
    assert same_bits(summed(x), x.sum(axis=1, keepdims=True, dtype=np.float64).astype(np.float32))


def test_blocks_have_a_wider_total() -> None:
    x = np.zeros((1, 3 * BLOCK), np.float32)
    x[0, 0], x[0, BLOCK], x[0, 2 * BLOCK] = 1e8, 1, -1e8
    assert summed(x)[0, 0] == 1


@pytest.mark.parametrize(("n", "c"), [(3, CHUNK + 1), (2 * CHUNK + 3, 2), (100, 700)])
def test_every_row_of_every_chunk(n: int, c: int) -> None:
    x = numbers(0, shrunk(n, n % 9), shrunk(c, c % 9))
    largest: Any = np.empty((len(x), 1), np.float32)

    def maxima() -> Any:
        row_maxima(x, largest)
        return largest.copy()

    wanted = x.sum(axis=1, keepdims=True, dtype=np.float64)
    bound = 2.0**-24 * (np.abs(wanted) + BLOCK * np.abs(x).sum(axis=1, keepdims=True))
    results = at_every_count(lambda: summed(x))
    assert all(same_bits(results[0], result) for result in results)
    assert np.all(np.abs(results[0] - wanted) <= bound)
    assert all(same_bits(found, x.max(axis=1, keepdims=True)) for found in at_every_count(maxima))
