"""Add2 and Mul2: exact sums and products of pairs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.composites import ADD, MUL, check_composite
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_arithmetic = check_composite(ADD, MUL)

EACH = pytest.mark.parametrize("make", [ADD, MUL], ids=["Add2", "Mul2"])
PATTERN = "must be Mat[2, 3], got an array of shape [3, 2]"


def same_numbers(actual: Any, expected: Any) -> bool:
    """Equal bits wherever there is a number; NaN where float64 has it."""
    nan = np.isnan(expected)
    return bool(np.array_equal(np.isnan(actual), nan)) and same_bits(actual[~nan], expected[~nan])


@given(n=rows, c=widths, seed=seeds)
def test_every_number_is_rounded_once_from_float64(n: int, c: int, seed: int) -> None:
    """Also of NaN, infinities, signed zeros, subnormals, and where results overflow or underflow."""
    for make_numbers in (numbers, special_numbers):
        a, b, dy = (make_numbers(seed + i, n, c) for i in range(3))
        wide_a, wide_b, wide_dy = (value.astype(np.float64) for value in (a, b, dy))
        with np.errstate(all="ignore"):
            total, product = (wide_a + wide_b).astype(np.float32), (wide_a * wide_b).astype(np.float32)
            da, db = (wide_dy * wide_b).astype(np.float32), (wide_dy * wide_a).astype(np.float32)
            y, dx, _ = run(ADD(n, c), (), (a, b), dy)
            assert same_numbers(y, total)
            assert all(same_bits(half, dy) for half in dx)
            y, dx, _ = run(MUL(n, c), (), (a, b), dy)
        assert same_numbers(y, product)
        assert same_numbers(dx[0], da)
        assert same_numbers(dx[1], db)


@given(n=rows, c=widths, seed=seeds)
def test_one_matrix_twice(n: int, c: int, seed: int) -> None:
    x, dy = numbers(seed, n, c), numbers(seed + 1, n, c)
    assert same_bits(run(ADD(n, c), (), (x, x), dy)[0], x + x)
    y, dx, _ = run(MUL(n, c), (), (x, x), dy)
    assert same_bits(y, x * x)
    assert all(same_bits(half, dy * x) for half in dx)


def test_the_gradient_of_an_overflowed_product_is_that_of_its_factors() -> None:
    a, b = np.full((1, 1), 3e38, np.float32), np.full((1, 1), 2, np.float32)
    with np.errstate(over="ignore"):  # with the JIT off, numpy warns
        y, (da, db), _ = run(MUL(1, 1), (), (a, b), np.ones((1, 1), np.float32))
    assert np.isposinf(y[0, 0])
    assert same_bits(da, b)
    assert same_bits(db, a)


@EACH
@pytest.mark.parametrize(("place", "what"), [(0, "the first of x"), (1, "the second of x")])
def test_which_of_the_pair_is_wrong_is_said(make: Any, place: int, what: str) -> None:
    layer, good, bad = make(2, 3), np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    x = (bad, good) if place == 0 else (good, bad)
    with pytest.raises(ShapeError, match=f"^{re.escape(f'{layer}: {what} {PATTERN}')}$"):
        layer.fwd((), x)
    double = np.zeros((2, 3), np.float64)
    y = (double, good) if place == 0 else (good, double)
    with pytest.raises(DtypeError, match=f"^{re.escape(f'{layer}: {what} must be float32 in native byte order')}"):
        layer.fwd((), y)


@EACH
def test_a_wrong_gradient_is_said(make: Any) -> None:
    layer, good, bad = make(2, 3), np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    s = layer.fwd((), (good, good)).s
    with pytest.raises(ShapeError, match=f"^{re.escape(f'{layer}: dy {PATTERN}')}$"):
        layer.bwd((), s, bad, ())


@pytest.mark.parametrize(("place", "what"), [(0, "the saved first"), (1, "the saved second")])
def test_which_of_the_saved_pair_is_wrong_is_said(place: int, what: str) -> None:
    layer, good, bad = MUL(2, 3), np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    with pytest.raises(ShapeError, match=f"^{re.escape(f'{layer}: {what} {PATTERN}')}$"):
        layer.bwd((), (bad, good) if place == 0 else (good, bad), good, ())


@EACH
def test_impossible_sizes_are_refused(make: Any) -> None:
    name = make(1, 1).info.name
    wrong: list[tuple[Any, Any, str]] = [
        (-1, 3, f"{name}(-1, 3): size n must be at least 0, got -1"),
        (2, 0, f"{name}(2, 0): size c must be at least 1, got 0"),
        (2.0, 3, f"{name}(2.0, 3): size n must be an int, got float 2.0"),
        (2, True, f"{name}(2, True): size c must be an int, got bool True"),
    ]
    for n, c, text in wrong:
        with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
            make(n, c)


@EACH
def test_they_describe_themselves(make: Any) -> None:
    layer = make(2, 3)
    assert str(layer) == f"{layer.info.name}(2, 3)"
    assert layer.info.takes == (layer.info.gives, layer.info.gives)
    assert layer.count() == 0
