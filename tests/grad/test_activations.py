"""Activations: derivatives both ways and twice; corners, infinities; the bits of the layers."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import GELU, GELUErf, ReLU, Sigmoid, SiLU, Tanh, grad
from tests.support.activations import logistic
from tests.support.activations import normal as below
from tests.support.grad import Operation, check_operations, normal, signed, unary


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


test_operation = check_operations(
    Operation("relu", unary(grad.relu, lambda x: np.maximum(x, 0), signed)),
    Operation("gelu", unary(grad.gelu, _gelu)),
    Operation("gelu_erf", unary(grad.gelu_erf, lambda x: x * below(x))),
    Operation("silu", unary(grad.silu, lambda x: x * logistic(x))),
)

LAYERS: Final[dict[str, tuple[Any, Any]]] = {
    "relu": (grad.relu, ReLU),
    "gelu": (grad.gelu, GELU),
    "gelu_erf": (grad.gelu_erf, GELUErf),
    "silu": (grad.silu, SiLU),
    "sigmoid": (grad.sigmoid, Sigmoid),
    "tanh": (grad.tanh, Tanh),
}
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38, 88.0, -88.0, 110.0, -110.0)


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_has_the_same_bits(name: str) -> None:
    """Forward and backward, at the edges too."""
    call, make = LAYERS[name]
    x = np.concatenate([normal(0, (37,)) * np.float32(4), np.array(EDGES, np.float32)]).reshape(10, 5)
    dy, layer = normal(1, (10, 5)), make(10, 5)
    with np.errstate(all="ignore"):
        done = layer.fwd((), x)
        dx = layer.bwd((), done.s, dy, ()).dx
        g = grad.graph()
        v = g.input(x)
        y = call(v)
        assert np.array_equal(g.value(y), done.y, equal_nan=True)
        assert np.array_equal(g.backward_from(y, dy).of(v), dx, equal_nan=True)


def test_the_derivative_at_a_corner_is_zero() -> None:
    g = grad.graph()
    x = g.input(np.array([0.0, -0.0, 2.0, -2.0], np.float32))
    assert g.backward(grad.sum(grad.relu(x))).of(x).tolist() == [0.0, 0.0, 1.0, 0.0]


def test_a_gradient_that_is_no_number_does_not_pass_a_rectifier_that_is_off() -> None:
    g = grad.graph()
    x = g.input(np.array([-1.0, 1.0], np.float32))
    grads = g.backward_from(grad.relu(x), np.array([np.nan, np.inf], np.float32))
    assert grads.of(x).tolist() == [0.0, math.inf]


def test_far_out_second_derivatives_are_zero() -> None:
    for call in (grad.gelu, grad.gelu_erf, grad.silu):
        g = grad.graph()
        x = g.input(np.array([-3e38, -200.0, 200.0, 3e38], np.float32))
        (gradient,) = g.gradients(grad.sum(call(x)), [x])
        assert np.array_equal(g.tangent([x], [np.ones(4, np.float32)], gradient), np.zeros(4))
