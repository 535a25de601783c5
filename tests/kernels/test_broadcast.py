"""Arithmetic of a matrix with another, a row, a column and a number, over several chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch.kernels import broadcast
from bendtorch.kernels.broadcast import CHUNK, accumulate, with_column, with_matrix, with_number, with_row
from tests.support.arrays import numbers, same_bits, same_numbers, special_numbers
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count

OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "ADD": np.add,
    "SUBTRACT": np.subtract,
    "MULTIPLY": np.multiply,
    "DIVIDE": np.divide,
    "MAXIMUM": lambda a, b: np.where((a >= b) | np.isnan(a), a, b),
    "MINIMUM": lambda a, b: np.where((a <= b) | np.isnan(a), a, b),
}
EDGES: Final = (np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 1, -1)
EACH: Final = pytest.mark.parametrize("name", OPERATIONS)


def rounded_once(name: str, a: Any, b: Any) -> Any:
    """The float64 result as float32: the nearest to the exact one."""
    with np.errstate(all="ignore"):
        return OPERATIONS[name](a.astype(np.float64), b.astype(np.float64)).astype(np.float32)


def run(kernel: Any, name: str, a: Any, b: Any) -> Any:
    """The kernel, whose result must stay within its array; with the JIT off, numpy warns of overflows."""
    room = np.full(a.size + 2, 7, np.float32)
    out = room[1:-1].reshape(a.shape)
    with np.errstate(all="ignore"):
        kernel(getattr(broadcast, name), a, b, out)
    assert room[0] == room[-1] == 7
    return out


@EACH
@given(n=rows, c=widths, seed=seeds)
def test_every_number_is_rounded_once(name: str, n: int, c: int, seed: int) -> None:
    """Also of NaN, infinities, signed zeros and subnormals; the inputs are only read."""
    a = special_numbers(seed, n, c)
    others = special_numbers(seed + 1, n, c), special_numbers(seed + 2, 1, c), special_numbers(seed + 3, n, 1)
    kept = a.copy(), tuple(other.copy() for other in others)
    for kernel, other in zip((with_matrix, with_row, with_column), others, strict=True):
        assert same_numbers(run(kernel, name, a, other), rounded_once(name, a, other))
    assert same_bits(a, kept[0])
    assert all(map(same_bits, others, kept[1]))


@EACH
def test_every_pair_of_edge_values(name: str) -> None:
    values = np.array(EDGES, np.float32)
    a, b = (np.ascontiguousarray(m, np.float32) for m in np.meshgrid(values, values))
    wanted = rounded_once(name, a, b)
    assert same_numbers(run(with_matrix, name, a, b), wanted)
    assert same_numbers(run(with_column, name, a, values[:, None].copy()), wanted)
    assert same_numbers(run(with_row, name, a.T.copy(), values[None].copy()), wanted.T.copy())
    for place, value in enumerate(values):
        assert same_numbers(run(with_number, name, a, value)[place], wanted[place])


@EACH
@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 17])
def test_every_number_of_every_chunk_at_any_number_of_threads(name: str, size: int) -> None:
    size = shrunk(size, size % 100)
    a, b = special_numbers(0, 1, size), special_numbers(1, 1, size)
    tall, value = a.T.copy(), b[:, :1].copy() if size else np.ones((1, 1), np.float32)
    for out in at_every_count(lambda: run(with_matrix, name, a, b)):
        assert same_numbers(out, rounded_once(name, a, b))
    for out in at_every_count(lambda: run(with_row, name, a, b)):
        assert same_numbers(out, rounded_once(name, a, b))
    for out in at_every_count(lambda: run(with_row, name, tall, value)):
        assert same_numbers(out, rounded_once(name, tall, value))
    for out in at_every_count(lambda: run(with_column, name, tall, b.T.copy())):
        assert same_numbers(out, rounded_once(name, tall, b.T))
    for out in at_every_count(lambda: run(with_number, name, a, value[0, 0])):
        assert same_numbers(out, rounded_once(name, a, value))


@EACH
@given(seed=seeds)
def test_one_matrix_may_be_both_operands(name: str, seed: int) -> None:
    a = numbers(seed, 3, 5)
    assert same_bits(run(with_matrix, name, a, a), rounded_once(name, a, a))


@pytest.mark.parametrize("size", [0, 1, CHUNK, 2 * CHUNK + 17])
def test_adding_in_place_over_several_chunks(size: int) -> None:
    size = shrunk(size, size % 100)
    x, target = special_numbers(0, 1, size), special_numbers(1, 1, size)
    with np.errstate(all="ignore"):
        wanted = target + x
        accumulate(x, target)
    assert same_numbers(target, wanted)
