"""Rows by number and the transpose, at the edges of chunks and squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.indexing import COLUMNS, TILE, gather_rows, scatter_add_rows, transpose
from bendtorch.kernels.rows import CHUNK
from tests.support.arrays import labels, numbers, same_bits, special_numbers
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count


def at_every_count_into(kernel: Any, arguments: tuple[Any, ...], shape: tuple[int, int]) -> list[Any]:
    """What a kernel writes into zeros of a shape."""

    def compute() -> Any:
        out = np.zeros(shape, np.float32)
        kernel(*arguments, out)
        return out

    return at_every_count(compute)


@pytest.mark.parametrize("n", [0, 1, TILE - 1, TILE, TILE + 1, 5 * TILE + 3])
@pytest.mark.parametrize("c", [0, 1, TILE - 1, TILE, TILE + 1, 5 * TILE + 3])
def test_the_transpose(n: int, c: int) -> None:
    x = special_numbers(0, shrunk(n, n % 7), shrunk(c, c % 7))
    n, c = x.shape
    assert all(same_bits(out, x.T.copy()) for out in at_every_count_into(transpose, (x,), (c, n)))


@pytest.mark.parametrize(("n", "d"), [(0, 3), (1, 1), (3, CHUNK + 1), (2 * CHUNK + 3, 2), (300, 129)])
def test_gathering(n: int, d: int) -> None:
    n, d = shrunk(n, n % 9), shrunk(d, d % 9 + 1)
    table, ids = special_numbers(0, 5, d), labels(1, n, 5)
    assert all(same_bits(out, table[ids]) for out in at_every_count_into(gather_rows, (table, ids), (n, d)))


@pytest.mark.parametrize("d", [1, COLUMNS - 1, COLUMNS, COLUMNS + 1, 3 * COLUMNS + 5])
def test_scattering_in_order(d: int) -> None:
    """Order decides the bits: 1 + 1e8 - 1e8 is 0, 1e8 - 1e8 + 1 is 1."""
    d = shrunk(d, d % 9 + 1)
    ids = np.array([0, 1, 0, 1, 0, 1])
    x = np.repeat(np.array([1, 1e8, 1e8, -1e8, -1e8, 1], np.float32)[:, None], d, axis=1)
    for out in at_every_count_into(scatter_add_rows, (ids, x), (2, d)):
        assert out.tolist() == [[0.0] * d, [1.0] * d]


def test_scattering_adds_to_what_is_there() -> None:
    out, x = numbers(0, 3, 70), numbers(1, 1, 70)
    wanted = out.copy()
    wanted[2] += x[0]
    scatter_add_rows(np.array([2]), x, out)
    assert same_bits(out, wanted)
