"""Operations number by number: value, derivatives both ways and twice, ties, edges, broadcasting."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.activations import logistic
from tests.support.grad import Operation, binary, check_operations, normal, positive, signed, unary

_erf = np.vectorize(math.erf, otypes=[np.float64])


test_operation = check_operations(
    Operation("add", binary(grad.add, np.add)),
    Operation("sub", binary(grad.sub, np.subtract)),
    Operation("mul", binary(grad.mul, np.multiply)),
    Operation("div", binary(grad.div, np.divide, signed)),
    Operation("maximum", binary(grad.maximum, np.maximum)),
    Operation("minimum", binary(grad.minimum, np.minimum)),
    Operation("neg", unary(grad.neg, np.negative)),
    Operation("exp", unary(grad.exp, np.exp)),
    Operation("log", unary(grad.log, np.log, positive)),
    Operation("tanh", unary(grad.tanh, np.tanh)),
    Operation("sigmoid", unary(grad.sigmoid, logistic)),
    Operation("erf", unary(grad.erf, _erf)),
    Operation("square", unary(grad.square, np.square)),
    Operation("sqrt", unary(grad.sqrt, np.sqrt, positive)),
    Operation("abs", unary(grad.abs, np.abs, signed)),
    Operation("reciprocal", unary(grad.reciprocal, np.reciprocal, signed)),
    Operation(
        "chain",
        binary(
            lambda x, y: grad.tanh(x * y + 0.5) / (2.0 + grad.exp(-x)),
            lambda x, y: np.tanh(x * y + 0.5) / (2 + np.exp(-x)),
        ),
    ),
    Operation("x with itself", unary(lambda x: x * x * x + x, lambda x: x**3 + x)),
)

NUMBERS: Final = np.array([1.5, -2.0, 0.25], np.float32)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_operators_take_numbers_and_arrays_on_either_side(sign: str) -> None:
    call: Any = {"+": grad.add, "-": grad.sub, "*": grad.mul, "/": grad.div}[sign]
    apply: Any = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign]
    for other in (2, 2.5, np.float32(2.5), np.int64(3), NUMBERS):
        g = grad.graph()
        x = g.input(NUMBERS + np.float32(1))
        value = NUMBERS + np.float32(1)
        for left, right, wanted in ((x, other, apply(value, other)), (other, x, apply(other, value))):
            assert np.array_equal(g.value(call(left, right)), wanted.astype(np.float32))
            result: Any = {
                "+": lambda a, b: a + b,
                "-": lambda a, b: a - b,
                "*": lambda a, b: a * b,
                "/": lambda a, b: a / b,
            }[sign](left, right)
            assert np.array_equal(g.value(result), wanted.astype(np.float32))


def _gradients(call: Any, *values: Any) -> list[list[float]]:
    g = grad.graph()
    xs = [g.input(np.array(value, np.float32)) for value in values]
    grads = g.backward(grad.sum(call(*xs)))
    return [grads.of(x).tolist() for x in xs]


def test_ties_go_to_the_first() -> None:
    for call in (grad.maximum, grad.minimum):
        assert _gradients(call, [1.0, 2.0], [1.0, 2.0]) == [[1.0, 1.0], [0.0, 0.0]]


def test_the_derivative_at_a_corner_is_zero() -> None:
    assert _gradients(grad.abs, [0.0, -0.0, 2.0, -2.0]) == [[0.0, 0.0, 1.0, -1.0]]


EDGES: Final = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3e38], np.float32)
AT_EDGES: Final[dict[str, tuple[Any, Any]]] = {
    "exp": (grad.exp, np.exp),
    "log": (grad.log, np.log),
    "tanh": (grad.tanh, np.tanh),
    "sigmoid": (grad.sigmoid, logistic),
    "sqrt": (grad.sqrt, np.sqrt),
    "abs": (grad.abs, np.abs),
    "neg": (grad.neg, np.negative),
    "square": (grad.square, np.square),
    "reciprocal": (grad.reciprocal, np.reciprocal),
}


@pytest.mark.parametrize("name", AT_EDGES)
def test_edges_are_those_of_ieee(name: str) -> None:
    call, exact = AT_EDGES[name]
    g = grad.graph()
    with np.errstate(all="ignore"):
        actual = g.value(call(g.input(EDGES)))
        wanted = exact(EDGES.astype(np.float64)).astype(np.float32)
    assert np.array_equal(np.isnan(actual), np.isnan(wanted))
    number = ~np.isnan(wanted)
    assert np.allclose(actual[number], wanted[number], rtol=2e-7, atol=1e-44)
    assert np.array_equal(np.signbit(actual[number]), np.signbit(wanted[number]))


@pytest.mark.parametrize("call", [grad.maximum, grad.minimum])
def test_nan_on_either_side_gives_nan(call: Any) -> None:
    g = grad.graph()
    for x, y in ((math.nan, 1.0), (1.0, math.nan)):
        assert np.isnan(g.value(call(g.input(np.array(x, np.float32)), g.input(np.array(y, np.float32)))))


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    g = grad.graph()
    x, y = g.input(normal(0, (2, 3))), g.input(normal(1, (4,)))
    with pytest.raises(ShapeError, match=r"^mul: shapes \[2, 3\] and \[4\] do not broadcast"):
        _ = x * y


def test_what_is_no_var_is_refused() -> None:
    g = grad.graph()
    x = g.input(NUMBERS)
    with pytest.raises(DtypeError, match=r"^exp: expected a Var, got ndarray; put an array on the tape"):
        grad.exp(NUMBERS)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^add: expected a Var, got float"):
        grad.add(1.0, 2.0)
    with pytest.raises(DtypeError, match=r"^mul: the other operand must be float32 .*float64"):
        _ = x * NUMBERS.astype(np.float64)  # type: ignore[operator]
    with pytest.raises(
        DtypeError, match=r"^add: the other operand must be a Var, a float32 array or a number, got str"
    ):
        _ = x + "1"  # type: ignore[operator]
    with pytest.raises(DtypeError, match=r"^sub: the other operand is 1e\+39, which is beyond the range of float32"):
        _ = x - 1e39
    with pytest.raises(ConfigError, match=r"^add: Var\(\[3\]\) belongs to another graph"):
        _ = x + grad.graph().input(NUMBERS)
