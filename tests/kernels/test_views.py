"""Borrowed views: the memory of the array, in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.kernels.views import borrowed
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled


@compiled
def double(x: Any, out: Any) -> None:
    """out = 2·x, and x's first number = 7, through views."""
    source, target = borrowed(x), borrowed(out)
    for i in range(source.size):
        target[i] = source[i] * np.float32(2)
    source[:1] = np.float32(7)


def test_a_view_is_the_arrays_own_memory() -> None:
    for shape in ((6,), (2, 3), (2, 3, 4), (3, 0)):
        x = numbers(1, *shape)
        before, out = x.copy(), np.empty_like(x)
        double(x, out)
        assert same_bits(out, before * np.float32(2))
        assert same_bits(x.reshape(-1)[1:], before.reshape(-1)[1:])
        assert np.all(x.reshape(-1)[:1] == 7)


@compiled
def sum_of_rows(x: Any) -> float:
    """Many slices of a view, which outlive no array."""
    total, cells = 0.0, borrowed(x)
    for row in range(x.shape[0]):
        part = cells[row * x.shape[1] : (row + 1) * x.shape[1]]
        for i in range(part.size):
            total += part[i]
    return total


def test_slices_of_a_view() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert sum_of_rows(x) == 66
