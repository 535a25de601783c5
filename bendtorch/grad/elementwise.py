"""Operations number by number. They broadcast as numpy's, and are computed when their values are needed.

    add sub mul div neg       maximum minimum       exp log tanh sigmoid erf       square sqrt abs reciprocal
    relu gelu gelu_erf silu

Each line of the table is an operation with, for each input, `d` times the derivative by it. The derivative of `maximum`
and `minimum` goes to the first of equals; that of `relu` and `abs` at 0 is 0. Derivatives that have a kernel of their
own (`sigmoid_gradient(d, y)`) are operations too, with derivatives.
"""

from __future__ import annotations

import math
from typing import Final

from bendtorch.grad.lazy import Op, apply
from bendtorch.grad.rule import Elementwise
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import ADD, DIV, MUL, NEG, SUB, Operand, Var, beside

BEND: Final = 0.044715  # of GELU's cubic term
ROOT: Final = math.sqrt(2 / math.pi)
FAR: Final = 15.0  # beyond, the second derivatives of GELU are 0 in float32
FARTHEST: Final = 100.0  # SiLU's


def _record(rule: Elementwise, *xs: Var) -> Var:
    return xs[0].graph.record(rule, *xs)


def _mask(op: Op, x: Var, y: Var) -> Var:
    """1 where a comparison holds, else 0: a constant, whose derivative is zero."""
    return x.graph.hold(apply(op, x.lazy, y.lazy))


def where(mask: Var, x: Operand, y: Operand) -> Var:
    """x where the mask is not 0, else y."""
    return _record(WHERE, mask, beside(mask, x, "where"), beside(mask, y, "where"))


def equal(x: Var, y: Var) -> Var:
    """1 where two values are equal, else 0; a constant."""
    return _mask(Op.EQ, x, y)


def _sign(x: Var) -> Var:
    return x.graph.hold(apply(Op.SIGN, x.lazy))


WHERE: Final = Elementwise(
    "where", Op.WHERE, (None, lambda d, m, x, y, z: where(m, d, 0.0), lambda d, m, x, y, z: where(m, 0.0, d))
)
MAXIMUM: Final = Elementwise(
    "maximum",
    Op.MAXIMUM,
    (
        lambda d, x, y, z: where(_mask(Op.GT, y, x), 0.0, d),
        lambda d, x, y, z: where(_mask(Op.GT, y, x), d, 0.0),
    ),
)
MINIMUM: Final = Elementwise(
    "minimum",
    Op.MINIMUM,
    (
        lambda d, x, y, z: where(_mask(Op.GT, x, y), 0.0, d),
        lambda d, x, y, z: where(_mask(Op.GT, x, y), d, 0.0),
    ),
)
EXP: Final = Elementwise("exp", Op.EXP, (lambda d, x, y: d * y,))
LOG: Final = Elementwise("log", Op.LOG, (lambda d, x, y: d / x,))
SQUARE: Final = Elementwise("square", Op.SQUARE, (lambda d, x, y: d * (x + x),))
SQRT: Final = Elementwise("sqrt", Op.SQRT, (lambda d, x, y: d / (y + y),))
ABS: Final = Elementwise("abs", Op.ABS, (lambda d, x, y: d * _sign(x),))
RECIPROCAL: Final = Elementwise("reciprocal", Op.RECIPROCAL, (lambda d, x, y: -d * (y * y),))
ERF: Final = Elementwise("erf", Op.ERF, (lambda d, x, y: d * (2 / math.sqrt(math.pi) * exp(-(x * x))),))

RELU_GRADIENT: Final[Elementwise] = Elementwise(
    "relu_gradient", Op.RELU_GRADIENT, (lambda e, d, y, z: _record(RELU_GRADIENT, e, y), None)
)
SIGMOID_GRADIENT: Final[Elementwise] = Elementwise(
    "sigmoid_gradient",
    Op.SIGMOID_GRADIENT,
    (lambda e, d, y, z: _record(SIGMOID_GRADIENT, e, y), lambda e, d, y, z: e * d * (1.0 - (y + y))),
)
TANH_GRADIENT: Final[Elementwise] = Elementwise(
    "tanh_gradient",
    Op.TANH_GRADIENT,
    (lambda e, d, y, z: _record(TANH_GRADIENT, e, y), lambda e, d, y, z: e * d * (-2.0 * y)),
)
GELU_GRADIENT: Final[Elementwise] = Elementwise(
    "gelu_gradient",
    Op.GELU_GRADIENT,
    (lambda e, d, x, z: _record(GELU_GRADIENT, e, x), lambda e, d, x, z: e * d * _gelu_bend(x)),
)
GELU_ERF_GRADIENT: Final[Elementwise] = Elementwise(
    "gelu_erf_gradient",
    Op.GELU_ERF_GRADIENT,
    (lambda e, d, x, z: _record(GELU_ERF_GRADIENT, e, x), lambda e, d, x, z: e * d * _gelu_erf_bend(x)),
)
SILU_GRADIENT: Final[Elementwise] = Elementwise(
    "silu_gradient",
    Op.SILU_GRADIENT,
    (lambda e, d, x, z: _record(SILU_GRADIENT, e, x), lambda e, d, x, z: e * d * _silu_bend(x)),
)

RELU: Final = Elementwise("relu", Op.RELU, (lambda d, x, y: _record(RELU_GRADIENT, d, y),))
SIGMOID: Final = Elementwise("sigmoid", Op.SIGMOID, (lambda d, x, y: _record(SIGMOID_GRADIENT, d, y),))
TANH: Final = Elementwise("tanh", Op.TANH, (lambda d, x, y: _record(TANH_GRADIENT, d, y),))
GELU: Final = Elementwise("gelu", Op.GELU, (lambda d, x, y: _record(GELU_GRADIENT, d, x),))
GELU_ERF: Final = Elementwise("gelu_erf", Op.GELU_ERF, (lambda d, x, y: _record(GELU_ERF_GRADIENT, d, x),))
SILU: Final = Elementwise("silu", Op.SILU, (lambda d, x, y: _record(SILU_GRADIENT, d, x),))


def _near(x: Var, bound: float) -> Var:
    """x, moved to where nothing computed from it is infinite."""
    return _binary(MINIMUM, _binary(MAXIMUM, x, -bound), bound)


def _gelu_bend(x: Var) -> Var:
    """GELU's second derivative: 2·s'·v' + x·(s''·v'² + s'·v'') with s = sigmoid(v), v = 2·√(2/π)·(x + 0.044715·x³)."""
    x = _near(x, FAR)
    square_x = x * x
    s = sigmoid(x * (2 * ROOT + 2 * ROOT * BEND * square_x))
    slope, bend = 2 * ROOT + 6 * ROOT * BEND * square_x, 12 * ROOT * BEND * x
    s1 = s * (1.0 - s)
    return 2.0 * s1 * slope + x * (s1 * (1.0 - 2.0 * s) * slope * slope + s1 * bend)


def _silu_bend(x: Var) -> Var:
    """SiLU's second derivative: 2·s' + x·s''."""
    x = _near(x, FARTHEST)
    s = sigmoid(x)
    return s * (1.0 - s) * (2.0 + x * (1.0 - 2.0 * s))


def _gelu_erf_bend(x: Var) -> Var:
    """The second derivative of x·Φ(x): φ(x)·(2 - x²)."""
    x = _near(x, FAR)
    square_x = x * x
    return exp(-0.5 * square_x) * ((2.0 - square_x) * (1 / math.sqrt(2 * math.pi)))


def _unary(rule: Elementwise, x: Var) -> Var:
    if not isinstance(x, Var):
        guard_vars(rule.name, x)
    return x.graph.record1(rule, x)


def _binary(rule: Elementwise, x: Operand, y: Operand) -> Var:
    """Of two operands, one of which may be an array or a number."""
    if not isinstance(x, Var):
        guard_vars(rule.name, y)
        assert isinstance(y, Var)
        return y.graph.record2(rule, beside(y, x, rule.name), y)
    return x.graph.record2(rule, x, beside(x, y, rule.name))


def add(x: Operand, y: Operand) -> Var:
    """x + y."""
    return _binary(ADD, x, y)


def sub(x: Operand, y: Operand) -> Var:
    """x - y."""
    return _binary(SUB, x, y)


def mul(x: Operand, y: Operand) -> Var:
    """x · y, number by number."""
    return _binary(MUL, x, y)


def div(x: Operand, y: Operand) -> Var:
    """x / y."""
    return _binary(DIV, x, y)


def neg(x: Var) -> Var:
    """-x."""
    return _unary(NEG, x)


def maximum(x: Operand, y: Operand) -> Var:
    """The larger of two numbers; a tie sends its gradient to x. NaN where either is NaN."""
    return _binary(MAXIMUM, x, y)


def minimum(x: Operand, y: Operand) -> Var:
    """The smaller of two numbers; a tie sends its gradient to x. NaN where either is NaN."""
    return _binary(MINIMUM, x, y)


def exp(x: Var) -> Var:
    """e to the power x."""
    return _unary(EXP, x)


def log(x: Var) -> Var:
    """The natural logarithm: -inf at 0, NaN below."""
    return _unary(LOG, x)


def tanh(x: Var) -> Var:
    """The hyperbolic tangent."""
    return _unary(TANH, x)


def sigmoid(x: Var) -> Var:
    """1 / (1 + e^-x)."""
    return _unary(SIGMOID, x)


def erf(x: Var) -> Var:
    """The error function."""
    return _unary(ERF, x)


def square(x: Var) -> Var:
    """x²."""
    return _unary(SQUARE, x)


def sqrt(x: Var) -> Var:
    """√x: NaN below 0; its derivative at 0 is infinite."""
    return _unary(SQRT, x)


def abs(x: Var) -> Var:  # noqa: A001  the field's name
    """|x|; its derivative at 0 is 0."""
    return _unary(ABS, x)


def reciprocal(x: Var) -> Var:
    """1 / x."""
    return _unary(RECIPROCAL, x)


def relu(x: Var) -> Var:
    """max(x, 0), as the layer `ReLU`: NaN stays NaN, the derivative at 0 is 0."""
    return _unary(RELU, x)


def gelu(x: Var) -> Var:
    """GELU in its form with tanh, as the layer `GELU`: PyTorch's `gelu(x, approximate="tanh")`."""
    return _unary(GELU, x)


def gelu_erf(x: Var) -> Var:
    """GELU in its form with erf, as the layer `GELUErf`: PyTorch's `gelu(x)`."""
    return _unary(GELU_ERF, x)


def silu(x: Var) -> Var:
    """x · sigmoid(x), as the layer `SiLU`."""
    return _unary(SILU, x)
