"""Split, Concat, Reshape, Permute: the same numbers, grouped in another way."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import LAYOUTS, numbers, same_bits, special_numbers
from tests.support.composites import CONCAT, PERMUTE, RESHAPE, SPLIT, check_composite
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_reshaping = check_composite(
    lambda n, c: SPLIT(n, c, 2),
    lambda n, c: CONCAT(n, c, 2),
    lambda n, c: RESHAPE(n, 2 * c, 2 * n, c),
    lambda n, c: RESHAPE(3 * n, c, n, c * 3),
    lambda n, c: PERMUTE(n, 3, c),
    lambda n, c: PERMUTE(2, n, c),
)
small = st.integers(0, 5)


@given(n=rows, a=widths, b=widths, seed=seeds)
def test_split_cuts_and_concat_joins(n: int, a: int, b: int, seed: int) -> None:
    """Every bit, also of NaN."""
    whole, left, right = special_numbers(seed, n, a + b), special_numbers(seed + 1, n, a), special_numbers(2, n, b)
    joined = np.concatenate([left, right], axis=1)
    cut = (whole[:, :a].copy(), whole[:, a:].copy())
    y, dx, _ = run(SPLIT(n, a, b), (), whole, (left, right))
    assert all(map(same_bits, y, cut))
    assert same_bits(dx, joined)
    y, dx, _ = run(CONCAT(n, a, b), (), (left, right), whole)
    assert same_bits(y, joined)
    assert all(map(same_bits, dx, cut))


@given(n=rows, a=widths, b=widths, seed=seeds)
def test_parts_are_matrices_of_their_own(n: int, a: int, b: int, seed: int) -> None:
    whole, parts = numbers(seed, n, a + b), (numbers(seed, n, a), numbers(seed, n, b))
    (y, dx, _), (z, dz, _) = run(SPLIT(n, a, b), (), whole, parts), run(CONCAT(n, a, b), (), parts, whole)
    for array in (*y, dx, z, *dz):
        assert array.flags.carray
        assert not any(np.shares_memory(array, other) for other in (whole, *parts))


@given(n=rows, c=widths, k=st.integers(1, 4), seed=seeds)
def test_reshape_keeps_the_order_of_the_numbers(n: int, c: int, k: int, seed: int) -> None:
    x, dy = special_numbers(seed, n * k, c), special_numbers(seed + 1, n, c * k)
    y, dx, _ = run(RESHAPE(n * k, c, n, c * k), (), x, dy)
    assert same_bits(y, x.reshape(n, c * k))
    assert same_bits(dx, dy.reshape(n * k, c))


@given(c=widths, k=st.integers(1, 4), seed=seeds)
def test_reshape_takes_any_layout_in_the_order_of_its_rows(c: int, k: int, seed: int) -> None:
    x = numbers(seed, 2 * k, c)
    for lay_out in LAYOUTS.values():
        assert same_bits(RESHAPE(2 * k, c, 2, c * k).fwd((), lay_out(x)).y, x.reshape(2, c * k))


@given(a=small, b=small, c=widths, seed=seeds)
def test_permute_counts_through_the_other_axis_first(a: int, b: int, c: int, seed: int) -> None:
    """Row p·b + q becomes row q·a + p, and back."""
    x, dy = special_numbers(seed, a * b, c), special_numbers(seed + 1, a * b, c)
    y, dx, _ = run(PERMUTE(a, b, c), (), x, dy)
    for p in range(a):
        for q in range(b):
            assert same_bits(y[q * a + p], x[p * b + q])
            assert same_bits(dx[p * b + q], dy[q * a + p])


def test_permute_transposes_a_batch_of_sequences() -> None:
    x = np.arange(6, dtype=np.float32).reshape(6, 1)
    assert PERMUTE(2, 3, 1).fwd((), x).y[:, 0].tolist() == [0, 3, 1, 4, 2, 5]
    assert PERMUTE(3, 2, 1).fwd((), x).y[:, 0].tolist() == [0, 2, 4, 1, 3, 5]


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((2, 3, 4, 2), "Reshape: n*i = 2*3 = 6 but m*o = 4*2 = 8"),
        ((0, 3, 1, 7), "Reshape: n*i = 0*3 = 0 but m*o = 1*7 = 7"),
        ((1, 2, 0, 2), "Reshape: n*i = 1*2 = 2 but m*o = 0*2 = 0"),
        ((2**20, 2**20, 1, 1), f"Reshape: n*i = {2**20}*{2**20} = {2**40} but m*o = 1*1 = 1"),
    ],
)
def test_numbers_that_are_not_as_many_are_refused(sizes: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        RESHAPE(*sizes)


def test_no_rows_may_become_no_rows_of_any_width() -> None:
    y, dx, _ = run(RESHAPE(0, 3, 0, 7), (), np.empty((0, 3), np.float32), np.empty((0, 7), np.float32))
    assert (y.shape, dx.shape) == ((0, 7), (0, 3))


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: SPLIT(-1, 2, 3), "Split(-1, 2, 3): size n must be at least 0, got -1"),
        (lambda: SPLIT(1, 0, 3), "Split(1, 0, 3): size a must be at least 1, got 0"),
        (lambda: SPLIT(1, 2, -1), "Split(1, 2, -1): size b must be at least 1, got -1"),
        (lambda: SPLIT(1, "2", 3), "Split(1, 2, 3): size a must be an int, got str '2'"),
        (lambda: CONCAT(-1, 2, 3), "Concat(-1, 2, 3): size n must be at least 0, got -1"),
        (lambda: CONCAT(1, 2, 0), "Concat(1, 2, 0): size b must be at least 1, got 0"),
        (lambda: CONCAT(1, True, 2), "Concat(1, True, 2): size a must be an int, got bool True"),
        (lambda: RESHAPE(-1, 2, -1, 2), "Reshape(-1, 2, -1, 2): size n must be at least 0, got -1"),
        (lambda: RESHAPE(2, 0, 2, 0), "Reshape(2, 0, 2, 0): size i must be at least 1, got 0"),
        (lambda: RESHAPE(0, 2, 0, 0), "Reshape(0, 2, 0, 0): size o must be at least 1, got 0"),
        (lambda: RESHAPE(2, 2.0, 4, 1), "Reshape(2, 2.0, 4, 1): size i must be an int, got float 2.0"),
        (lambda: PERMUTE(2, 3, 0), "Permute(2, 3, 0): size c must be at least 1, got 0"),
        (lambda: PERMUTE(2, 3.0, 1), "Permute(2, 3.0, 1): size"),
    ],
)
def test_impossible_sizes_are_refused(build: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}"):
        build()


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: RESHAPE(0, 2, -1, 2), "m"),
        (lambda: RESHAPE(2, 2, 4.0, 1), "m"),
        (lambda: PERMUTE(-2, 3, 1), "a"),
        (lambda: PERMUTE(2, -3, 1), "b"),
        (lambda: PERMUTE(2, "3", 1), "b"),
    ],
)
def test_the_size_that_is_impossible_is_named_as_the_layer_names_it(build: Any, name: str) -> None:
    with pytest.raises(ShapeError, match=f": size {name} must be "):
        build()


SHAPE = "got an array of shape [3, 2]"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda ok, bad: SPLIT(2, 1, 2).fwd((), bad), "Split(2, 1, 2): x must be Mat[2, 3], "),
        (
            lambda ok, bad: SPLIT(2, 3, 3).bwd((), (), (bad, ok), ()),
            "Split(2, 3, 3): the first of dy must be Mat[2, 3]",
        ),
        (
            lambda ok, bad: SPLIT(2, 3, 3).bwd((), (), (ok, bad), ()),
            "Split(2, 3, 3): the second of dy must be Mat[2, 3]",
        ),
        (lambda ok, bad: CONCAT(2, 3, 3).fwd((), (bad, ok)), "Concat(2, 3, 3): the first of x must be Mat[2, 3], "),
        (lambda ok, bad: CONCAT(2, 3, 3).fwd((), (ok, bad)), "Concat(2, 3, 3): the second of x must be Mat[2, 3], "),
        (lambda ok, bad: CONCAT(2, 1, 2).bwd((), (), bad, ()), "Concat(2, 1, 2): dy must be Mat[2, 3], "),
        (lambda ok, bad: RESHAPE(2, 3, 6, 1).fwd((), bad), "Reshape(2, 3, 6, 1): x must be Mat[2, 3], "),
        (lambda ok, bad: RESHAPE(6, 1, 2, 3).bwd((), (), bad, ()), "Reshape(6, 1, 2, 3): dy must be Mat[2, 3], "),
        (lambda ok, bad: PERMUTE(1, 2, 3).fwd((), bad), "Permute(1, 2, 3): x must be Mat[2, 3], "),
        (lambda ok, bad: PERMUTE(2, 1, 3).bwd((), (), bad, ()), "Permute(2, 1, 3): dy must be Mat[2, 3], "),
    ],
)
def test_the_layer_and_the_argument_are_named(call: Any, text: str) -> None:
    good, bad = np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}.*{re.escape(SHAPE)}$"):
        call(good, bad)
    what = text[: text.index(" must be")]
    with pytest.raises(DtypeError, match=f"^{re.escape(what)} must be float32 in native byte order"):
        call(good, good.astype(np.float64))


def test_they_describe_themselves() -> None:
    for layer, text in (
        (SPLIT(2, 3, 4), "Split(2, 3, 4)"),
        (CONCAT(2, 3, 4), "Concat(2, 3, 4)"),
        (RESHAPE(2, 6, 3, 4), "Reshape(2, 6, 3, 4)"),
        (PERMUTE(2, 3, 4), "Permute(2, 3, 4)"),
    ):
        assert str(layer) == text
        assert layer.info.saves == ()
        assert layer.count() == 0
