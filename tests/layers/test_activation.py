"""ActOut and ActIn: layers from users' functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import ActIn, ActOut, ConfigError, ReLU, ShapeError
from bendtorch.kernels import vecmath
from tests.support import activations, references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer

TANH: Any = vecmath.tanh
SIGMOID: Any = vecmath.sigmoid
ONE = np.float32(1)


def rectified(x: Any) -> Any:
    return ONE - ONE if x < 0 else x


def rectified_gradient(dy: Any, y: Any) -> Any:
    return ONE - ONE if y <= 0 else dy


def swish(x: Any) -> Any:
    return x * SIGMOID(x)


def swish_gradient(dy: Any, x: Any) -> Any:
    s = SIGMOID(x)
    return dy * (s * (ONE + x * (ONE - s)))


def my_relu(n: int, c: int) -> Any:
    return ActOut(rectified, rectified_gradient, n, c)


def my_tanh(n: int, c: int) -> Any:
    return ActOut(TANH, lambda dy, y: dy * (ONE - y * y), n, c)


def my_silu(n: int, c: int) -> Any:
    return ActIn(swish, swish_gradient, n, c)


test_relu_of_ones_own = check_layer(my_relu, 1, references.RELU)
test_tanh_of_ones_own = check_layer(my_tanh, 1, activations.TANH)
test_silu_of_ones_own = check_layer(my_silu, 1, activations.SILU)


def test_what_is_saved() -> None:
    x = numbers(0, 3, 5)
    forward = ActOut(lambda a: a + 1, lambda dy, y: dy, 3, 5).fwd((), x)
    assert same_bits(forward.s, x + 1)
    forward = ActIn(lambda a: a + 1, lambda dy, x: dy, 3, 5).fwd((), x)
    assert same_bits(forward.s, x)


def test_the_gradient_gets_dy_first() -> None:
    x, dy = numbers(0, 3, 5), numbers(1, 3, 5)
    layer = ActIn(lambda a: a, lambda dy, x: dy * 2 + x, 3, 5)
    assert np.allclose(layer.bwd((), x, dy, ()).dx, dy * 2 + x)


def test_in_a_chain() -> None:
    x = numbers(0, 3, 5)
    layer = ReLU(3, 5) >> ActIn(lambda a: a - 1, lambda dy, x: dy, 3, 5)
    assert same_bits(layer.fwd(layer.zeros(), x).y, np.maximum(x, 0) - 1)


@pytest.mark.parametrize("kind", [ActOut, ActIn])
def test_faults_are_found_when_it_is_built(kind: Any) -> None:
    name = kind.__name__
    with pytest.raises(ConfigError, match=f"^{name}: f, the function .* must take one number"):
        kind(lambda a, b: a, lambda dy, y: dy, 3, 5)
    with pytest.raises(ConfigError, match=f"^{name}: d, the function .* must take two numbers"):
        kind(lambda a: a, lambda dy: dy, 3, 5)
    with pytest.raises(ConfigError, match=f"^{name}: d, the function .* cannot be compiled"):
        kind(lambda a: a, lambda dy, y: dy.foo, 3, 5)
    with pytest.raises(ShapeError, match=rf"^{name}\(3, 0\): size c must be at least 1, got 0"):
        kind(lambda a: a, lambda dy, y: dy, 3, 0)
