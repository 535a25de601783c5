"""Prefetching: it changes nothing, also at the end of memory that is ours, and beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import mapping, optimizer
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.elementwise import add, sqrt
from bendtorch.kernels.prefetch import AHEAD, read_near, reading_on, write_near, writing_on
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled

ADD: Any = add
SQRT: Any = sqrt
ADAM: Any = optimizer.adam


@compiled
def touch(address: int, size: int) -> None:
    """All kinds, of what may not be there."""
    reading_on(address, size)
    writing_on(address, size)
    read_near(address, size)
    write_near(address, size)


def test_memory_stays_as_it_is() -> None:
    x = numbers(1, 3000)
    before = x.copy()
    touch(x.ctypes.data, x.nbytes)
    touch(x.ctypes.data - AHEAD, 1)
    assert same_bits(x, before)


@pytest.mark.parametrize("address", [0, 1, -(1 << 20), 1 << 46])
def test_no_memory_is_no_error(address: int) -> None:
    touch(address, 1 << 12)


@pytest.mark.skipif(not JIT, reason="two million numbers, one by one, in Python")
@pytest.mark.parametrize("more", [0, 1, mapping.BLOCK - 1, mapping.CHUNK + 7])
def test_large_arrays_are_mapped_like_small_ones(more: int) -> None:
    x = np.abs(numbers(2, 1, mapping.LARGE + more))
    out = np.full_like(x, np.nan)
    SQRT(x, out)
    assert same_bits(out, np.sqrt(x))
    ADD(x, out, total := np.full_like(x, np.nan))
    assert same_bits(total, x + out)


@pytest.mark.skipif(not JIT, reason="half a million numbers, one by one, in Python")
@pytest.mark.parametrize("more", [0, 1, optimizer.BLOCK - 1])
def test_a_large_model_is_stepped_as_its_parts_are(more: int) -> None:
    """The numbers of a model that is brought near in blocks, and of its two halves, which are not."""
    size = optimizer.LARGE + more
    w, g, m, v = (np.abs(numbers(seed, size)) for seed in range(4))
    row = np.array([[0.999, 0, 0.999, 0.1, 0.001, 1e-3, 1, 1e-8]], np.float32)
    whole = [array.copy() for array in (w, g, m, v)]
    ADAM(*whole, _chunks(size), row)
    halves: list[list[Any]] = [[], [], [], []]
    for low, high in ((0, size // 2), (size // 2, size)):
        part = [array[low:high].copy() for array in (w, g, m, v)]
        ADAM(*part, _chunks(high - low), row)
        for found, array in zip(halves, part, strict=True):
            found.append(array)
    for array, parts in zip(whole, halves, strict=True):
        assert same_bits(array, np.concatenate(parts))


def _chunks(size: int) -> Any:
    return np.array([(low, min(low + optimizer.CHUNK, size), 0) for low in range(0, size, optimizer.CHUNK)], np.int64)
