"""Grads: what is kept and what is computed again; zeros; gradients that are not computed yet."""

from __future__ import annotations

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import DtypeError
from bendtorch.grad import lazy
from bendtorch.grad.lazy import Op
from tests.support.grad import normal

X = normal(0, (2, 3))


def _chain() -> tuple[grad.Graph, grad.Var, grad.Var, grad.Var]:
    g = grad.graph()
    x = g.input(X)
    y = grad.exp(x)
    return g, x, y, grad.sum(y * y)


def test_values_in_between_have_their_gradient_too() -> None:
    g, x, y, loss = _chain()
    asked, kept = g.backward(loss), g.backward(loss, keep=[y])
    assert np.allclose(kept.of(y), 2 * np.exp(X), rtol=1e-6)
    assert np.array_equal(asked.of(y), kept.of(y))
    assert np.array_equal(asked.of(x), kept.of(x))
    assert asked.of(loss) == kept.of(loss) == 1


def test_what_the_result_does_not_depend_on_has_zeros() -> None:
    g, x, _, loss = _chain()
    other, constant = g.input(normal(1, (4,))), g.constant(X)
    later = grad.exp(loss)
    grads = g.backward(loss)
    for v in (other, constant, constant * 2.0, later, grad.exp(x), grad.sum(other)):
        gradient = grads.of(v)
        assert gradient.shape == v.shape
        assert gradient.dtype == np.float32
        assert not np.any(gradient)
    assert lazy.value(grads.pending(other)).tolist() == [0.0] * 4


def test_a_result_of_constants_has_no_gradients() -> None:
    g = grad.graph()
    x, c = g.input(X), g.constant(X)
    grads = g.backward(grad.sum(c * c))
    assert not np.any(grads.of(x))
    assert not np.any(grads.of(c))


def test_the_gradient_of_an_input_as_the_result() -> None:
    g = grad.graph()
    x = g.input(X)
    assert np.array_equal(g.backward_from(x, X).of(x), X)


def test_parameters_may_be_stepped_in_place_as_their_gradients_are_read() -> None:
    a, b = normal(1, (3,)), normal(2, (3,))
    g = grad.graph()
    x, y = g.input(a), g.input(b)
    grads = g.backward(grad.sum(x * y))
    wanted_a, wanted_b = b.copy(), a.copy()
    a -= np.float32(0.1) * grads.of(x)
    b -= np.float32(0.1) * grads.of(y)
    assert np.array_equal(a, normal(1, (3,)) - np.float32(0.1) * wanted_a)
    assert np.array_equal(b, normal(2, (3,)) - np.float32(0.1) * wanted_b)


def test_an_optimizer_extends_a_pending_gradient() -> None:
    g, x, _, loss = _chain()
    grads = g.backward(loss)
    pending = grads.pending(x)
    assert pending.value is None
    step = lazy.apply(Op.SUB, lazy.leaf(X), lazy.apply(Op.MUL, lazy.constant(0.5), pending))
    assert np.allclose(lazy.value(step), X - np.exp(X) ** 2, rtol=1e-5)
    assert np.array_equal(grads.of(x), lazy.value(pending))


def test_or_extends_it_with_the_tapes_operations() -> None:
    g, x, _, loss = _chain()
    pending = g.constant(g.backward(loss).pending(x))
    assert not pending.active
    assert np.allclose(g.value(x - 0.5 * pending), X - np.exp(X) ** 2, rtol=1e-5)


def test_what_it_is_of() -> None:
    g, _, _, loss = _chain()
    grads = g.backward(loss)
    assert repr(grads) == "Grads of Var([] = sum_to)"
    for call, name in ((grads.of, "of"), (grads.pending, "pending")):
        with pytest.raises(DtypeError, match=rf"^Grads.{name}: expected a Var, got ndarray"):
            call(X)
