"""custom: a value and a backward pass from outside; what it gives is checked; reverse mode only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import normal


def _cube(x: grad.Var) -> grad.Var:
    value = x.graph.value(x)  # type: ignore[attr-defined]
    return grad.custom([x], value**3, lambda d: [3 * value**2 * d])


def test_it_is_one_operation_among_others() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    loss = grad.sum(_cube(grad.square(x)) * 2.0)
    assert np.allclose(g.value(loss), 2 * np.sum(normal(0, (2, 3)) ** 6.0), rtol=1e-6)
    assert np.allclose(g.backward(loss).of(x), 12 * normal(0, (2, 3)) ** 5.0, rtol=1e-5)


def test_several_inputs_have_a_gradient_each() -> None:
    g = grad.graph()
    a, b = normal(0, (3,)), normal(1, (3,))
    x, y = g.input(a), g.constant(b)
    z = grad.custom([x, y], a * b, lambda d: (d * b, d * a))
    grads = g.backward(grad.sum(z))
    assert np.array_equal(grads.of(x), b)
    assert not np.any(grads.of(y))


def test_it_has_no_other_derivative() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    loss = grad.sum(_cube(x))
    text = r"^custom: it has a value and a backward pass only, so its derivative in forward mode, and those"
    with pytest.raises(ConfigError, match=text):
        g.tangent([x], [normal(1, (3,))], loss)
    with pytest.raises(ConfigError, match=text):
        g.gradients(loss, [x])


def test_the_gradient_it_gets_cannot_be_written_to() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))

    def backward(d: Any) -> Any:
        d += 1
        return [d]

    with pytest.raises(ValueError, match="read-only"):
        g.backward(grad.sum(grad.custom([x], normal(0, (3,)), backward)))


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    wrong: Any = grad.custom  # with what the types refuse already
    with pytest.raises(ShapeError, match=r"^custom: backward must give 1 gradients, one for each input, got 2"):
        g.backward(grad.sum(grad.custom([x], normal(0, (3,)), lambda d: [d, d])))
    with pytest.raises(ShapeError, match=r"^custom: backward must give 1 gradients, one for each input, got ndarray"):
        g.backward(grad.sum(wrong([x], normal(0, (3,)), lambda d: d)))
    with pytest.raises(ShapeError, match=r"^custom: gradient 0 must have the shape \[3\], got \[1\]"):
        g.backward(grad.sum(grad.custom([x], normal(0, (3,)), lambda d: [d[:1]])))
    with pytest.raises(DtypeError, match=r"^custom: gradient 0 must be float32"):
        g.backward(grad.sum(wrong([x], normal(0, (3,)), lambda d: [d.astype(np.float64)])))
    with pytest.raises(DtypeError, match=r"^custom: the result must be float32"):
        wrong([x], np.zeros(3), lambda d: [d])
    with pytest.raises(ConfigError, match=r"^custom: backward must be a function, got None"):
        wrong([x], normal(0, (3,)), None)
    with pytest.raises(ConfigError, match=r"^custom: expected at least one input"):
        grad.custom([], normal(0, (3,)), lambda d: [])
    with pytest.raises(DtypeError, match=r"^custom: inputs must be a list of Vars, got Var; for one Var v it is \[v\]"):
        wrong(x, normal(0, (3,)), lambda d: [d])
