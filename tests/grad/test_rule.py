"""Rules: what the kinds of operations share, on operations made here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError
from bendtorch.grad.lazy import Lazy, Op
from bendtorch.grad.rule import Elementwise, Fused, Linear, Opaque, Rule
from bendtorch.grad.var import MUL
from tests.support.grad import normal


class Twice(Linear):
    """2·x."""

    __slots__ = ()
    name = "twice"

    def value(self, *xs: Lazy) -> Lazy:
        """The result."""
        return grad.lazy.apply(Op.ADD, xs[0], xs[0])

    def cotangent(self, i: int, d: grad.Var, out: grad.Var, *xs: grad.Var) -> grad.Var | None:
        """Of the one input."""
        return d + d


class Cube(Fused):
    """x³, with a backward pass that says how often it is called."""

    __slots__ = ("calls",)
    name = "cube"

    def __init__(self) -> None:
        self.calls = 0

    def value(self, *xs: Lazy) -> Lazy:
        """The result."""
        return grad.lazy.apply(Op.MUL, grad.lazy.apply(Op.SQUARE, xs[0]), xs[0])

    def cotangents(self, d: grad.Var, out: grad.Var, *xs: grad.Var) -> Sequence[grad.Var | None]:
        """Of the one input."""
        self.calls += 1
        return [3.0 * d * grad.square(xs[0])]

    def definition(self, *xs: grad.Var) -> grad.Var:
        """The same in two steps."""
        return grad.square(xs[0]) * xs[0]


def _input() -> tuple[grad.Graph, grad.Var, Any]:
    g = grad.graph()
    x = normal(0, (5,))
    return g, g.input(x), x


def test_a_linear_operation_is_its_own_tangent() -> None:
    g, v, _ = _input()
    y = g.record(Twice(), v)
    assert np.array_equal(g.tangent([v], [normal(1, (5,))], y), 2 * normal(1, (5,)))
    assert np.array_equal(g.backward_from(y, normal(2, (5,))).of(v), 2 * normal(2, (5,)))


def test_a_fused_operation_is_its_definition_where_it_is_differentiated_again() -> None:
    g, v, x = _input()
    rule = Cube()
    y = g.record(rule, v)
    direction = normal(1, (5,))
    assert np.allclose(g.backward(grad.sum(y)).of(v), 3 * x**2, rtol=1e-6)
    assert rule.calls == 1
    assert np.allclose(g.tangent([v], [direction], y), 3 * x**2 * direction, rtol=1e-6)
    (gradient,) = g.gradients(grad.sum(y), [v])
    assert np.allclose(g.tangent([v], [direction], gradient), 6 * x * direction, rtol=1e-6)
    assert rule.calls == 1


def test_a_slope_of_none_is_zero() -> None:
    g, v, x = _input()
    rule = Elementwise("first", Op.MUL, (lambda d, x, y, z: d * y, None))
    w = g.input(x)
    y = g.record(rule, v, w)
    grads = g.backward_from(y, normal(1, (5,)))
    assert np.array_equal(grads.of(v), normal(1, (5,)) * x)
    assert not np.any(grads.of(w))
    assert not np.any(g.tangent([w], [normal(1, (5,))], y))


def test_the_tangent_of_several_inputs_is_the_sum() -> None:
    g, v, x = _input()
    a, b = normal(1, (5,)), normal(2, (5,))
    w = g.input(b)
    assert np.allclose(g.tangent([v, w], [a, x], g.record(MUL, v, w)), a * b + x * x)


def test_an_opaque_operation_says_so() -> None:
    text = (
        r"^thing: it has a value and a backward pass only, so its derivative in forward mode, and those of its gradient"
    )

    class Thing(Opaque):
        name = "thing"

    with pytest.raises(ConfigError, match=text):
        raise Thing().refusal()
    _, v, _ = _input()
    with pytest.raises(ConfigError, match=text):
        Thing().tangent([v], v, v)


def test_what_a_rule_does_not_have_is_missing() -> None:
    _, v, _ = _input()
    calls: Any = (lambda r: r.value(v.lazy), lambda r: r.cotangent(0, v, v, v), lambda r: r.tangent([v], v, v))
    for call in calls:
        with pytest.raises(NotImplementedError):
            call(Rule())
