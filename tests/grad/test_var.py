"""Vars: operators with numbers and arrays on either side, shapes, texts; no truth value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import DtypeError
from bendtorch.grad.tape import Tape
from bendtorch.grad.var import beside
from tests.support.grad import normal

X = normal(0, (2, 3))


def test_numpy_leaves_its_operators_to_the_var() -> None:
    g = grad.graph()
    v, w = g.input(X), normal(1, (3, 2))
    two: Any = np.float32(2)
    results: list[tuple[Any, Any]] = [
        (X + v, X + X),
        (X - v, X - X),
        (X * v, X * X),
        (X / v, X / X),
        (two * v, 2 * X),
        (v @ w, X @ w),
        (w @ v, w @ X),
        (-v, -X),
    ]
    for result, wanted in results:
        assert isinstance(result, grad.Var)
        assert np.allclose(g.value(result), wanted, rtol=1e-6, atol=1e-6)


def test_numbers_and_arrays_are_constants_on_its_tape() -> None:
    g = grad.graph()
    v = g.input(X)
    others: Any = ((2, ()), (2.5, ()), (np.float32(1), ()), (X, (2, 3)), (np.int64(3), ()))
    for other, shape in others:
        w = beside(v, other, "op")
        assert (w.graph, w.active, w.shape) == (g, False, shape)
    assert beside(v, v, "op") is v


def test_its_shape() -> None:
    g = grad.graph()
    v = g.input(X)
    assert (v.shape, v.ndim) == ((2, 3), 2)
    assert (grad.sum(v).shape, grad.sum(v).ndim) == ((), 0)


def test_it_is_no_truth_value() -> None:
    g = grad.graph()
    v = grad.sum(g.input(X))
    with pytest.raises(DtypeError, match=r"^Var\(\[\] = sum_to\) is no truth value; read the number with float"):
        bool(v)


def test_its_text_says_where_it_is_from() -> None:
    g = grad.graph()
    v = g.input(X)
    assert repr(v) == "Var([2, 3])"
    assert repr(g.constant(X)) == "Var([2, 3], a constant)"
    assert repr(grad.exp(v)) == "Var([2, 3] = exp)"


def test_on_another_tape_it_has_no_past() -> None:
    g = grad.graph()
    v = grad.exp(g.input(X))
    tape = Tape(records=False)
    moved = v.on(tape)
    assert (moved.graph, moved.rule, moved.inputs, moved.active) == (tape, None, (), True)
    assert moved.lazy is v.lazy
