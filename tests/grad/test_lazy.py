"""Expressions: shapes, values, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ShapeError
from bendtorch.grad.lazy import Op, apply, broadcast_to, constant, deferred, force, leaf, sum_to, total, value
from tests.support.arrays import numbers


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
    assert z.args == ()
    assert value(z) is found[0]


def test_shapes_that_do_not_broadcast_are_named() -> None:
    x, y = leaf(numbers(0, 3, 4)), leaf(numbers(0, 3))
    with pytest.raises(ShapeError, match=r"mul: shapes \[3, 4\] and \[3\]"):
        apply(Op.MUL, x, y)
    with pytest.raises(ShapeError, match=r"sum: shapes \[3, 4\] and \[3\]"):
        sum_to(x, (3,))
    with pytest.raises(ShapeError, match=r"broadcast_to: shape \[3, 4\] .* \[1, 4\]"):
        broadcast_to(x, (1, 4))


def test_a_deferred_array_is_made_once_when_it_is_needed() -> None:
    calls = []

    def transposed(x: Any) -> Any:
        calls.append(x)
        return np.ascontiguousarray(x.T)

    x = numbers(0, 3, 4)
    node = deferred((4, 3), transposed, apply(Op.NEG, leaf(x)))
    y, z = apply(Op.MUL, node, constant(3)), apply(Op.ADD, node, constant(1, (4, 3)))
    assert calls == []
    found = force(y, z)
    assert len(calls) == 1
    assert np.array_equal(found[0], -x.T * 3)
    assert np.array_equal(found[1], -x.T + 1)


def test_long_chains_and_wide_sums() -> None:
    x = y = leaf(np.ones(3, np.float32))
    for _ in range(10_000):
        y = apply(Op.ADD, y, x)
    terms = [y] * 10_000
    while len(terms) > 1:
        terms = [apply(Op.ADD, a, b) for a, b in zip(terms[::2], terms[1::2] or terms[:1], strict=False)]
    assert value(y).tolist() == [10_001] * 3
    assert value(terms[0]).size == 3
