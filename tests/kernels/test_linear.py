"""A linear layer's kernels: the bias, and sums of columns that do not lose small numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from bendtorch.kernels.linear import add_column_sums, linear_forward, linear_gradients
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count

SUMS: Any = add_column_sums
FORWARD: Any = linear_forward
GRADIENTS: Any = linear_gradients


@given(n=rows, o=widths, seed=seeds)
def test_column_sums_are_exact_but_for_one_rounding(n: int, o: int, seed: int) -> None:
    """Whole numbers have exact float64 sums, whatever the order."""
    dy = np.random.default_rng(seed).integers(-(10**6), 10**6, (n, o)).astype(np.float32)
    into = numbers(seed, 1, o)
    expected = into + dy.sum(axis=0, keepdims=True, dtype=np.float64).astype(np.float32)
    SUMS(dy, into)
    assert same_bits(into, expected)


def test_a_small_number_between_large_ones_is_not_lost() -> None:
    dy = np.array([[1e8], [1], [-1e8]], np.float32)
    into = np.zeros((1, 1), np.float32)
    SUMS(dy, into)
    assert into[0, 0] == 1


@settings(max_examples=5)
@given(seed=seeds)
def test_several_tiles_have_the_bits_of_one_rounding_more_than_the_product(seed: int) -> None:
    n, i, o = shrunk(260, 5), shrunk(90, 4), shrunk(140, 6)
    x, w, b = numbers(seed, n, i), numbers(seed + 1, o, i), numbers(seed + 2, 1, o)
    dy = numbers(seed + 3, n, o)

    def compute() -> list[Any]:
        y, plain = np.empty((n, o), np.float32), np.empty((n, o), np.float32)
        gw, gb = numbers(seed + 4, o, i), numbers(seed + 5, 1, o)
        FORWARD(x, w, b, y)
        FORWARD(x, w, np.zeros_like(b), plain)
        GRADIENTS(dy, x, gw, gb)
        return [y, plain, gw, gb]

    results = at_every_count(compute)
    assert all(same_bits(a, b) for other in results for a, b in zip(results[0], other, strict=True))
    y, plain, _, gb = results[0]
    assert same_bits(y, plain + b)
    total = dy.astype(np.float64).sum(axis=0, keepdims=True)
    assert np.all(np.abs(gb - numbers(seed + 5, 1, o) - total) <= 4 * 2.0**-24 * (np.abs(total) + np.abs(gb) + 1))
