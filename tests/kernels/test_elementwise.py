"""Sums and products number by number, over several chunks; roots; the elementary functions by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch.kernels import elementwise
from bendtorch.kernels.elementwise import add, multiply
from bendtorch.kernels.mapping import CHUNK
from tests.support.arrays import numbers, same_bits, same_numbers, special_numbers
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import threads

Both = tuple[Any, Callable[[Any, Any], Any]]
KERNELS: Final[dict[str, Both]] = {"add": (add, np.add), "multiply": (multiply, np.multiply)}
EACH = pytest.mark.parametrize(("kernel", "reference"), KERNELS.values(), ids=KERNELS)


def rounded_once(reference: Any, a: Any, b: Any) -> Any:
    """The float64 result as float32: the nearest to the exact sum or product."""
    with np.errstate(all="ignore"):
        return reference(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)


def run(kernel: Any, a: Any, b: Any, out: Any) -> None:
    """The kernel; with the JIT off, its arithmetic is numpy's, which warns of an overflow."""
    with np.errstate(all="ignore"):
        kernel(a, b, out)


@EACH
@given(n=rows, c=widths, seed=seeds)
def test_every_number_is_rounded_once(kernel: Any, reference: Any, n: int, c: int, seed: int) -> None:
    """Also of NaN, infinities, signed zeros and subnormals; the inputs are only read."""
    for make in (numbers, special_numbers):
        a, b, out = make(seed, n, c), make(seed + 1, n, c), np.full((n, c), 7, np.float32)
        kept = a.copy(), b.copy()
        run(kernel, a, b, out)
        assert same_numbers(out, rounded_once(reference, a, b))
        assert same_bits(a, kept[0])
        assert same_bits(b, kept[1])


@EACH
def test_edge_values(kernel: Any, reference: Any) -> None:
    values = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 1, -1], np.float32)
    a, b = (np.ascontiguousarray(m, np.float32) for m in np.meshgrid(values, values))
    out = np.empty_like(a)
    run(kernel, a, b, out)
    assert same_numbers(out, rounded_once(reference, a, b))


@EACH
@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 17])
def test_every_number_of_every_chunk_at_one_and_two_threads(kernel: Any, reference: Any, size: int) -> None:
    size = shrunk(size, size % 100)
    a, b = special_numbers(0, 1, size), special_numbers(1, 1, size)
    room = np.full(size + 2, 7, np.float32)
    for count in (1, 2):
        out = room[1:-1].reshape(1, size)
        out[...] = 7
        with threads(count):
            run(kernel, a, b, out)
        assert same_numbers(out, rounded_once(reference, a, b))
        assert room[0] == room[-1] == 7


@EACH
@given(seed=seeds)
def test_one_matrix_may_be_both_operands(kernel: Any, reference: Any, seed: int) -> None:
    a, out = numbers(seed, 3, 5), np.empty((3, 5), np.float32)
    kernel(a, a, out)
    assert same_bits(out, reference(a, a))


@given(n=rows, c=widths, seed=seeds)
def test_roots_are_rounded_once(n: int, c: int, seed: int) -> None:
    for make in (numbers, special_numbers):
        x, out = make(seed, n, c), np.empty((n, c), np.float32)
        elementwise.sqrt(x, out)
        with np.errstate(all="ignore"):
            assert same_numbers(out, np.sqrt(x.astype(np.float64)).astype(np.float32))


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": logistic,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_elementary_function_has_its_name(name: str) -> None:
    """How exact they are is tested in `vecmath`."""
    x, out = np.abs(numbers(0, 3, 5)), np.empty((3, 5), np.float32)
    getattr(elementwise, name)(x, out)
    assert np.allclose(out, FUNCTIONS[name](x.astype(np.float64)), rtol=1e-6)
