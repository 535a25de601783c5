"""Expressions: shapes, errors, what is computed when, chains that are long or wide."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ShapeError
from bendtorch.grad.lazy import Op, apply, broadcast_to, constant, deferred, force, leaf, sum_to, total, value
from tests.support.arrays import numbers
from tests.support.shapes import broadcasting, shapes


def test_a_chain() -> None:
    x, y = numbers(0, 3, 4), numbers(1, 4)
    z = apply(Op.MUL, apply(Op.EXP, leaf(x)), leaf(y))
    sums = sum_to(z, (1, 4))
    both = total(apply(Op.ADD, z, constant(2)))
    found = force(z, sums, both)
    want = np.exp(x.astype(np.float64)) * y
    for actual, expected in zip(found, (want, want.sum(0, keepdims=True), (want + 2).sum()), strict=True):
        assert actual.dtype == np.float32
        assert actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_a_value_is_remembered_and_its_arguments_are_forgotten() -> None:
    y = apply(Op.NEG, leaf(numbers(0, 3)))
    z = apply(Op.ADD, y, y)
    assert (y.value, z.value, z.depth) == (None, None, 2)
    assert value(z) is value(z) is z.value
    assert (z.args, z.depth) == ((), 0)
    assert y.value is None


def test_what_is_computed_again_and_again_is_kept_the_third_time() -> None:
    y = apply(Op.NEG, leaf(numbers(0, 3)))
    for times in range(4):
        assert (y.value is None) == (times < 3)
        assert np.array_equal(
            value(apply(Op.ADD, y, constant(times))),
            value(y) + times if times == 3 else -numbers(0, 3) + np.float32(times),
        )


def test_a_sum_that_is_still_wanted_is_taken_with_its_terms() -> None:
    x = numbers(0, 30, 4)
    y = apply(Op.NEG, leaf(x))
    columns = sum_to(y, (4,))
    value(y)
    assert columns.value is not None
    assert np.array_equal(columns.value, value(sum_to(leaf(-x), (4,))))
    z = apply(Op.NEG, leaf(x))
    reference = weakref.ref(sum_to(z, (4,)))
    assert reference() is None
    assert np.array_equal(value(z), -x)


def test_constants_keep_their_sign() -> None:
    for number in (0.0, -0.0, 1.0, -1.0):
        assert np.signbit(value(constant(number))) == np.signbit(number)
        assert np.signbit(value(constant(number, (2,)))).tolist() == [np.signbit(number)] * 2


def test_a_product_with_one_is_the_other_factor() -> None:
    for shape in ((), (3, 4)):
        x = leaf(numbers(0, *shape))
        assert apply(Op.MUL, x, constant(1.0)) is apply(Op.MUL, constant(1.0), x) is x
    assert np.array_equal(value(apply(Op.MUL, constant(1.0), constant(1.0))), np.float32(1))
    assert apply(Op.MUL, x, constant(2)) is not x


def test_shapes_that_do_not_broadcast_are_named() -> None:
    x, y = leaf(numbers(0, 3, 4)), leaf(numbers(0, 3))
    with pytest.raises(ShapeError, match=r"^mul: shapes \[3, 4\] and \[3\] do not broadcast"):
        apply(Op.MUL, x, y)
    with pytest.raises(ShapeError, match=r"^sum: shapes \[3, 4\] and \[3\] do not broadcast"):
        sum_to(x, (3,))
    with pytest.raises(ShapeError, match=r"^sum_to: shape \[3, 4\] cannot be summed to \[2, 3, 4\]"):
        sum_to(x, (2, 3, 4))
    with pytest.raises(ShapeError, match=r"^broadcast_to: shape \[3, 4\] does not broadcast to \[1, 4\]"):
        broadcast_to(x, (1, 4))


@given(shape=shapes, seed=st.integers(0, 99))
def test_shapes_are_numpys(shape: tuple[int, ...], seed: int) -> None:
    x = numbers(seed, *shape)
    for other in broadcasting(shape, seed):
        y = numbers(seed + 1, *other)
        assert np.array_equal(value(apply(Op.SUB, leaf(x), leaf(y))), x - y)
        assert np.array_equal(value(apply(Op.SUB, leaf(y), leaf(x))), y - x)
        large = np.broadcast_shapes(shape, other)
        assert np.array_equal(value(broadcast_to(leaf(y), large)), np.broadcast_to(y, large))


def test_a_deferred_array_is_made_once_when_it_is_needed() -> None:
    calls = []

    def transposed(x: Any) -> Any:
        calls.append(x)
        return np.ascontiguousarray(x.T)

    x = numbers(0, 3, 4)
    node = deferred((4, 3), transposed, apply(Op.NEG, leaf(x)))
    y, z = apply(Op.MUL, node, constant(3)), apply(Op.ADD, node, constant(1, (4, 3)))
    assert calls == []
    found = force(y, z, node, node)
    assert len(calls) == 1
    assert np.array_equal(found[0], -x.T * 3)
    assert np.array_equal(found[1], -x.T + 1)


def test_long_chains_and_wide_sums() -> None:
    x = y = leaf(np.ones(3, np.float32))
    for _ in range(10_000):
        y = apply(Op.ADD, y, x)
    many = [apply(Op.MUL, x, leaf(np.full(3, i, np.float32))) for i in range(1 << 12)]
    while len(many) > 1:
        many = [apply(Op.ADD, a, b) for a, b in zip(many[::2], many[1::2], strict=True)]
    assert value(y).tolist() == [10_001] * 3
    assert value(many[0]).tolist() == [(1 << 11) * ((1 << 12) - 1)] * 3


def test_a_long_chain_of_deferred_arrays() -> None:
    x: Any = leaf(np.ones((2, 3), np.float32))
    for _ in range(2000):
        x = deferred((3, 2) if x.shape == (2, 3) else (2, 3), lambda a: np.ascontiguousarray(a.T), x)
    assert value(x).tolist() == [[1] * 3] * 2
