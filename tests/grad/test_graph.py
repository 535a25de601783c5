"""Graph: leaves, values, derivatives both ways and twice, and what it refuses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import normal

X, W = normal(0, (4, 3)), normal(1, (3, 2))


def _loss() -> tuple[grad.Graph, grad.Var, grad.Var, grad.Var]:
    g = grad.graph()
    x, w = g.input(X), g.input(W)
    return g, x, w, grad.mean(grad.square(grad.tanh(x @ w)))


def _value(x: Any, w: Any) -> float:
    return float(np.mean(np.tanh(x.astype(np.float64) @ w) ** 2))


def test_leaves_are_not_copied() -> None:
    g = grad.graph()
    x = X.copy()
    for leaf in (g.input(x), g.constant(x)):
        assert np.shares_memory(g.value(leaf), x)
    assert g.input(x).active
    assert not g.constant(x).active


def test_leaves_of_every_rank_and_size() -> None:
    g = grad.graph()
    for shape in ((), (0,), (1,), (2, 0, 3), (1, 1, 1, 1), (2, 3, 4, 5, 6)):
        assert g.value(g.input(normal(0, shape))).shape == shape


def test_backward_is_the_derivative() -> None:
    g, _, w, loss = _loss()
    gradient = g.backward(loss).of(w)
    direction, step = normal(2, (3, 2)).astype(np.float64), 1e-5
    change = (_value(X, W + step * direction) - _value(X, W - step * direction)) / (2 * step)
    assert np.isclose(np.sum(gradient * direction), change, rtol=1e-4)


def test_tangent_is_the_derivative_along_several_inputs_at_once() -> None:
    g, x, w, loss = _loss()
    dx, dw, step = normal(2, (4, 3)), normal(3, (3, 2)), 1e-5
    moved = [_value(X.astype(np.float64) + s * step * dx, W.astype(np.float64) + s * step * dw) for s in (1, -1)]
    assert np.isclose(g.tangent([x, w], [dx, dw], loss), (moved[0] - moved[1]) / (2 * step), rtol=1e-4)


def test_a_tangent_holds_other_inputs_fixed() -> None:
    g, x, w, loss = _loss()
    dx, dw = normal(2, (4, 3)), normal(3, (3, 2))
    both = g.tangent([x, w], [dx, dw], loss)
    assert np.isclose(both, g.tangent([x], [dx], loss) + g.tangent([w], [dw], loss), rtol=1e-5)


def test_directions_of_one_input_add_up() -> None:
    g, x, _, loss = _loss()
    a, b = normal(2, (4, 3)), normal(3, (4, 3))
    assert np.array_equal(g.tangent([x, x], [a, b], loss), g.tangent([x], [a + b], loss))


def test_a_tangent_starts_at_a_value_in_between() -> None:
    g = grad.graph()
    x = g.input(X)
    y = grad.exp(x)
    z = y * y + x
    d = normal(2, (4, 3))
    assert np.allclose(g.tangent([y], [d], z), 2 * np.exp(X) * d, rtol=1e-6)
    assert np.array_equal(g.tangent([z], [d], z), d)
    assert not np.any(g.tangent([z], [d], y))
    assert not np.any(g.tangent([], [], z))


def test_a_hessian_times_a_vector_both_ways() -> None:
    """Forward over reverse and reverse over reverse, beside differences of the gradient."""
    g, _, w, loss = _loss()
    (gradient,) = g.gradients(loss, [w])
    direction, step = normal(2, (3, 2)), 1e-3
    forward = g.tangent([w], [direction], gradient)
    reverse = g.backward(grad.sum(gradient * direction)).of(w)
    ends = []
    for sign in (1, -1):
        h = grad.graph()
        moved = h.input((W + sign * step * direction).astype(np.float32))
        ends.append(h.backward(grad.mean(grad.square(grad.tanh(h.constant(X) @ moved)))).of(moved))
    change = (ends[0] - ends[1]) / (2 * step)
    assert np.allclose(forward, change, atol=2e-4)
    assert np.allclose(reverse, forward, rtol=1e-5, atol=1e-7)


def test_third_derivatives() -> None:
    g = grad.graph()
    x = g.input(np.array([0.5, -1.5], np.float32))
    y = grad.sum(grad.square(x) * grad.square(x))
    (first,) = g.gradients(y, [x])
    (second,) = g.gradients(grad.sum(first), [x])
    assert np.allclose(g.backward(grad.sum(second)).of(x), 24 * g.value(x), rtol=1e-6)


def test_gradients_are_on_the_tape() -> None:
    g, x, w, loss = _loss()
    constant = g.constant(X)
    found = g.gradients(loss, [w, x, constant, w])
    grads = g.backward(loss)
    for v, gradient in zip((w, x, constant, w), found, strict=True):
        assert gradient.graph is g
        assert np.allclose(g.value(gradient), grads.of(v), rtol=1e-6, atol=1e-8)
    y = x @ w
    ct = g.constant(normal(2, (4, 2)))
    assert np.allclose(g.value(g.gradients(y, [x], ct)[0]), normal(2, (4, 2)) @ W.T, rtol=1e-5)
    assert g.value(g.gradients(grad.sum(constant), [x])[0]).tolist() == np.zeros((4, 3)).tolist()


def test_a_graph_may_be_differentiated_again_and_again() -> None:
    g, _, w, loss = _loss()
    one, two = g.backward(loss).of(w), g.backward(loss).of(w)
    assert np.array_equal(one, two)
    assert np.allclose(g.backward_from(loss, np.array(3.0, np.float32)).of(w), 3 * one, rtol=1e-6)


def test_a_loss_of_one_element_may_have_any_rank() -> None:
    g = grad.graph()
    x = g.input(normal(0, (1, 1)))
    assert g.backward(x * x).of(x).shape == (1, 1)


def test_refusals() -> None:
    g, x, w, loss = _loss()
    with pytest.raises(ShapeError, match=r"^backward: the loss must have one element, got the shape \[4, 3\];"):
        g.backward(x)
    with pytest.raises(ShapeError, match=r"^backward_from: ct must have the shape \[4, 3\], got \[3, 4\]"):
        g.backward_from(x, normal(0, (3, 4)))
    with pytest.raises(ShapeError, match=r"^tangent: directions\[1\] must have the shape \[3, 2\], got \[4, 3\]"):
        g.tangent([x, w], [X, X], loss)
    with pytest.raises(ShapeError, match=r"^tangent: 2 inputs, but 1 directions"):
        g.tangent([x, w], [X], loss)
    with pytest.raises(ShapeError, match=r"^gradients: an output of the shape \[4, 3\] needs ct, its own gradient"):
        g.gradients(x, [x])
    with pytest.raises(ShapeError, match=r"^gradients: ct must have the shape \[4, 3\], got \[3, 2\]"):
        g.gradients(x, [x], w)
    with pytest.raises(DtypeError, match=r"^backward_from: ct must be float32 in native byte order, got <f8"):
        g.backward_from(x, X.astype(np.float64))
    for call, name in ((g.input, "input"), (g.constant, "constant")):
        with pytest.raises(DtypeError, match=rf"^{name}: the value must be a float32 numpy array, got list"):
            call([1.0])  # type: ignore[arg-type]
        with pytest.raises(DtypeError, match=rf"^{name}: the value must be float32 in native byte order, got <i8"):
            call(np.zeros(3, np.int64))  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^value: expected a Var, got ndarray"):
        g.value(X)
    with pytest.raises(ConfigError, match=r"^backward: Var\(\[\] = .* belongs to another graph"):
        grad.graph().backward(loss)


def test_a_var_where_a_list_belongs() -> None:
    g, x, _, loss = _loss()
    wrong: Any = g  # with what the types refuse already
    calls: dict[str, Callable[[], object]] = {
        "gradients: inputs": lambda: wrong.gradients(loss, x),
        "tangent: inputs": lambda: wrong.tangent(x, [X], loss),
        "backward: keep": lambda: wrong.backward(loss, keep=x),
        "backward_from: keep": lambda: wrong.backward_from(x, X, keep=x),
    }
    for text, call in calls.items():
        with pytest.raises(DtypeError, match=rf"^{text} must be a list of Vars, got Var; for one Var v it is \[v\]"):
            call()
    with pytest.raises(DtypeError, match=r"^tangent: directions must be a list of arrays, got ndarray; .* is \[d\]"):
        wrong.tangent([x], X, loss)


def test_nothing_moves_along_a_constant() -> None:
    g = grad.graph()
    x, c = g.input(X), g.constant(X)
    z, ones = c * c * x, np.ones_like(X)
    for still in (c, c * c):
        assert not np.any(g.tangent([still], [ones], z))
        assert not np.any(g.tangent([still], [ones], still))
    assert np.array_equal(g.tangent([c, x], [ones, ones], z), g.tangent([x], [ones], z))
    assert not np.any(g.backward(grad.sum(z)).of(c))


def test_every_operation_is_public_and_documented() -> None:
    documented = set(grad.__all__) - {"Backward"}  # a name of a type
    missing = [name for name in documented if not inspect.getdoc(getattr(grad, name))]
    assert missing == []
