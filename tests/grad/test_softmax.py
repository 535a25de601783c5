"""Softmax and log-softmax, and their gradients as operations; rows of -inf; extremes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import ShapeError
from bendtorch.grad.softmax import LOG_SOFTMAX_GRADIENT, SOFTMAX_GRADIENT
from tests.support.grad import Case, Operation, check_operations, log_softmax, normal, seeds, shapes

rows = shapes.filter(lambda shape: len(shape) > 0)


def _cases(call: Any, exact: Any, inputs: int = 1) -> Any:
    def make(shape: Any, seed: int) -> Case:
        return Case(call, exact, tuple(normal(seed + i, shape) for i in range(inputs)))

    return st.builds(make, rows, seeds)


def _softmax(x: Any) -> Any:
    return np.exp(log_softmax(x))


test_operation = check_operations(
    Operation("softmax", _cases(grad.softmax, _softmax)),
    Operation("log_softmax", _cases(grad.log_softmax, log_softmax)),
    Operation(
        "softmax_gradient",
        _cases(
            lambda d, y: d.graph.record(SOFTMAX_GRADIENT, d, y),
            lambda d, y: y * (d - np.sum(y * d, -1, keepdims=True)),
            2,
        ),
    ),
    Operation(
        "log_softmax_gradient",
        _cases(
            lambda d, y: d.graph.record(LOG_SOFTMAX_GRADIENT, d, y),
            lambda d, y: d - np.exp(y) * np.sum(d, -1, keepdims=True),
            2,
        ),
    ),
)


def test_a_row_of_minus_infinity_has_no_derivative() -> None:
    g = grad.graph()
    x = g.input(np.array([[-np.inf, -np.inf], [0.0, 0.0]], np.float32))
    direction, ct = np.ones((2, 2), np.float32), np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
    for call, value in ((grad.softmax, 0.0), (grad.log_softmax, -np.inf)):
        y = call(x)
        assert g.value(y)[0].tolist() == [value, value]
        assert g.backward_from(y, ct).of(x)[0].tolist() == [0.0, 0.0]
        assert g.tangent([x], [direction], y)[0].tolist() == [0.0, 0.0]


def test_nothing_overflows() -> None:
    g = grad.graph()
    x = g.input(np.array([[3e38, -3e38, 0.0]], np.float32))
    assert g.value(grad.softmax(x)).tolist() == [[1.0, 0.0, 0.0]]
    assert g.value(grad.log_softmax(x)).tolist()[0][0] == 0.0


def test_a_scalar_is_refused() -> None:
    g = grad.graph()
    for call in (grad.softmax, grad.log_softmax):
        with pytest.raises(ShapeError, match=rf"^{call.__name__}: x must have at least one axis, got a scalar"):
            call(g.input(np.array(1.0, np.float32)))
