"""Operations number by number: value, derivatives both ways and twice, ties, edges, broadcasting."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pytest
from scipy import special

from bendtorch import grad as G
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import Operation, binary, check_operations, normal, positive, signed, unary


def _sigmoid(x: Any) -> Any:
    return special.expit(x)


def _gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


test_operation = check_operations(
    Operation("add", binary(G.add, np.add)),
    Operation("sub", binary(G.sub, np.subtract)),
    Operation("mul", binary(G.mul, np.multiply)),
    Operation("div", binary(G.div, np.divide, signed)),
    Operation("maximum", binary(G.maximum, np.maximum)),
    Operation("minimum", binary(G.minimum, np.minimum)),
    Operation("neg", unary(G.neg, np.negative)),
    Operation("exp", unary(G.exp, np.exp)),
    Operation("log", unary(G.log, np.log, positive)),
    Operation("tanh", unary(G.tanh, np.tanh)),
    Operation("sigmoid", unary(G.sigmoid, _sigmoid)),
    Operation("erf", unary(G.erf, special.erf)),
    Operation("square", unary(G.square, np.square)),
    Operation("sqrt", unary(G.sqrt, np.sqrt, positive)),
    Operation("abs", unary(G.abs, np.abs, signed)),
    Operation("reciprocal", unary(G.reciprocal, np.reciprocal, signed)),
    Operation("relu", unary(G.relu, lambda x: np.maximum(x, 0), signed)),
    Operation("gelu", unary(G.gelu, _gelu)),
    Operation("gelu_erf", unary(G.gelu_erf, lambda x: x * special.ndtr(x))),
    Operation("silu", unary(G.silu, lambda x: x * _sigmoid(x))),
    Operation(
        "chain",
        binary(
            lambda x, y: G.tanh(x * y + 0.5) / (2.0 + G.exp(-x)), lambda x, y: np.tanh(x * y + 0.5) / (2 + np.exp(-x))
        ),
    ),
    Operation("x with itself", unary(lambda x: x * x * x + x, lambda x: x**3 + x)),
)

NUMBERS: Final = np.array([1.5, -2.0, 0.25], np.float32)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_operators_take_numbers_and_arrays_on_either_side(sign: str) -> None:
    call: Any = {"+": G.add, "-": G.sub, "*": G.mul, "/": G.div}[sign]
    apply: Any = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign]
    for other in (2, 2.5, np.float32(2.5), np.int64(3), NUMBERS):
        g = G.graph()
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
    g = G.graph()
    xs = [g.input(np.array(value, np.float32)) for value in values]
    grads = g.backward(G.sum(call(*xs)))
    return [grads.of(x).tolist() for x in xs]


def test_ties_go_to_the_first() -> None:
    for call in (G.maximum, G.minimum):
        assert _gradients(call, [1.0, 2.0], [1.0, 2.0]) == [[1.0, 1.0], [0.0, 0.0]]


def test_the_derivative_at_a_corner_is_zero() -> None:
    for call in (G.relu, G.abs):
        assert _gradients(call, [0.0, -0.0]) == [[0.0, 0.0]]
    assert _gradients(G.relu, [2.0, -2.0]) == [[1.0, 0.0]]


def test_a_gradient_that_is_no_number_does_not_pass_a_rectifier_that_is_off() -> None:
    g = G.graph()
    x = g.input(np.array([-1.0, 1.0], np.float32))
    grads = g.backward_from(G.relu(x), np.array([np.nan, np.inf], np.float32))
    assert grads.of(x).tolist() == [0.0, math.inf]


EDGES: Final = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3e38], np.float32)
AT_EDGES: Final[dict[str, tuple[Any, Any]]] = {
    "exp": (G.exp, np.exp),
    "log": (G.log, np.log),
    "tanh": (G.tanh, np.tanh),
    "sigmoid": (G.sigmoid, _sigmoid),
    "sqrt": (G.sqrt, np.sqrt),
    "abs": (G.abs, np.abs),
    "neg": (G.neg, np.negative),
    "square": (G.square, np.square),
    "reciprocal": (G.reciprocal, np.reciprocal),
    "relu": (G.relu, lambda x: np.where(x < 0, 0.0, x)),
}


@pytest.mark.parametrize("name", AT_EDGES)
def test_edges_are_those_of_ieee(name: str) -> None:
    call, exact = AT_EDGES[name]
    g = G.graph()
    with np.errstate(all="ignore"):
        actual = g.value(call(g.input(EDGES)))
        wanted = exact(EDGES.astype(np.float64)).astype(np.float32)
    assert np.array_equal(np.isnan(actual), np.isnan(wanted))
    number = ~np.isnan(wanted)
    assert np.allclose(actual[number], wanted[number], rtol=2e-7, atol=1e-44)
    assert np.array_equal(np.signbit(actual[number]), np.signbit(wanted[number]))


@pytest.mark.parametrize("call", [G.maximum, G.minimum])
def test_nan_on_either_side_gives_nan(call: Any) -> None:
    g = G.graph()
    for x, y in ((math.nan, 1.0), (1.0, math.nan)):
        assert np.isnan(g.value(call(g.input(np.array(x, np.float32)), g.input(np.array(y, np.float32)))))


def test_far_out_second_derivatives_are_zero() -> None:
    for call in (G.gelu, G.gelu_erf, G.silu):
        g = G.graph()
        x = g.input(np.array([-3e38, -200.0, 200.0, 3e38], np.float32))
        (gradient,) = g.gradients(G.sum(call(x)), [x])
        assert np.array_equal(g.tangent([x], [np.ones(4, np.float32)], gradient), np.zeros(4))


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    g = G.graph()
    x, y = g.input(normal(0, (2, 3))), g.input(normal(1, (4,)))
    with pytest.raises(ShapeError, match=r"^mul: shapes \[2, 3\] and \[4\] do not broadcast"):
        _ = x * y


def test_what_is_no_var_is_refused() -> None:
    g = G.graph()
    x = g.input(NUMBERS)
    with pytest.raises(DtypeError, match=r"^exp: expected a Var, got ndarray; put an array on the tape"):
        G.exp(NUMBERS)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^add: expected a Var, got float"):
        G.add(1.0, 2.0)
    with pytest.raises(DtypeError, match=r"^mul: the other operand must be float32 .*float64"):
        _ = x * NUMBERS.astype(np.float64)
    with pytest.raises(
        DtypeError, match=r"^add: the other operand must be a Var, a float32 array or a number, got str"
    ):
        _ = x + "1"  # type: ignore[operator]
    with pytest.raises(DtypeError, match=r"^sub: the other operand is 1e\+39, which is beyond the range of float32"):
        _ = x - 1e39
    with pytest.raises(ConfigError, match=r"^add: Var\(\[3\]\) belongs to another graph"):
        _ = x + G.graph().input(NUMBERS)
