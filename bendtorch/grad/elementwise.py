"""Operations number by number. They broadcast as numpy's, and are computed when their values are needed.

    add sub mul div neg       maximum minimum where       exp log tanh sigmoid erf       square sqrt abs reciprocal

Each line of the table is an operation with, for each input, `d` times the derivative by it. The derivative of `maximum`
and `minimum` goes to the first of equals; that of `abs` at 0 is 0. Derivatives that have a kernel of their own
(`sigmoid_gradient(d, y)`) are operations too, with derivatives.
"""

from __future__ import annotations

import math
from typing import Final

from bendtorch.grad.lazy import Op, apply
from bendtorch.grad.rule import Elementwise
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import ADD, DIV, MUL, NEG, SUB, Operand, Var, beside


def recorded(rule: Elementwise, *xs: Var) -> Var:
    """The operation of Vars."""
    return xs[0].graph.record(rule, *xs)


def _mask(op: Op, x: Var, y: Var) -> Var:
    """1 where a comparison holds, else 0: a constant, whose derivative is zero."""
    return x.graph.hold(apply(op, x.lazy, y.lazy))


def where(mask: Var, x: Operand, y: Operand) -> Var:
    """x where the mask is not 0, else y. No derivative is taken against the mask."""
    guard_vars("where", mask)
    return recorded(WHERE, mask, beside(mask, x, "where"), beside(mask, y, "where"))


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

SIGMOID_GRADIENT: Final[Elementwise] = Elementwise(
    "sigmoid_gradient",
    Op.SIGMOID_GRADIENT,
    (lambda e, d, y, z: recorded(SIGMOID_GRADIENT, e, y), lambda e, d, y, z: e * d * (1.0 - (y + y))),
)
TANH_GRADIENT: Final[Elementwise] = Elementwise(
    "tanh_gradient",
    Op.TANH_GRADIENT,
    (lambda e, d, y, z: recorded(TANH_GRADIENT, e, y), lambda e, d, y, z: e * d * (-2.0 * y)),
)
SIGMOID: Final = Elementwise("sigmoid", Op.SIGMOID, (lambda d, x, y: recorded(SIGMOID_GRADIENT, d, y),))
TANH: Final = Elementwise("tanh", Op.TANH, (lambda d, x, y: recorded(TANH_GRADIENT, d, y),))


def unary(rule: Elementwise, x: Var) -> Var:
    """The operation of one Var."""
    if not isinstance(x, Var):
        guard_vars(rule.name, x)
    return x.graph.record1(rule, x)


def binary(rule: Elementwise, x: Operand, y: Operand) -> Var:
    """The operation of two operands, one of which may be an array or a number."""
    if not isinstance(x, Var):
        guard_vars(rule.name, y)
        assert isinstance(y, Var)
        return y.graph.record2(rule, beside(y, x, rule.name), y)
    return x.graph.record2(rule, x, beside(x, y, rule.name))


def add(x: Operand, y: Operand) -> Var:
    """x + y."""
    return binary(ADD, x, y)


def sub(x: Operand, y: Operand) -> Var:
    """x - y."""
    return binary(SUB, x, y)


def mul(x: Operand, y: Operand) -> Var:
    """x · y, number by number."""
    return binary(MUL, x, y)


def div(x: Operand, y: Operand) -> Var:
    """x / y."""
    return binary(DIV, x, y)


def neg(x: Var) -> Var:
    """-x."""
    return unary(NEG, x)


def maximum(x: Operand, y: Operand) -> Var:
    """The larger of two numbers; a tie sends its gradient to x. NaN where either is NaN."""
    return binary(MAXIMUM, x, y)


def minimum(x: Operand, y: Operand) -> Var:
    """The smaller of two numbers; a tie sends its gradient to x. NaN where either is NaN."""
    return binary(MINIMUM, x, y)


def exp(x: Var) -> Var:
    """e to the power x."""
    return unary(EXP, x)


def log(x: Var) -> Var:
    """The natural logarithm: -inf at 0, NaN below."""
    return unary(LOG, x)


def tanh(x: Var) -> Var:
    """The hyperbolic tangent."""
    return unary(TANH, x)


def sigmoid(x: Var) -> Var:
    """1 / (1 + e^-x)."""
    return unary(SIGMOID, x)


def erf(x: Var) -> Var:
    """The error function."""
    return unary(ERF, x)


def square(x: Var) -> Var:
    """x²."""
    return unary(SQUARE, x)


def sqrt(x: Var) -> Var:
    """√x: NaN below 0; its derivative at 0 is infinite."""
    return unary(SQRT, x)


def abs(x: Var) -> Var:  # noqa: A001  the field's name
    """|x|; its derivative at 0 is 0."""
    return unary(ABS, x)


def reciprocal(x: Var) -> Var:
    """1 / x."""
    return unary(RECIPROCAL, x)
