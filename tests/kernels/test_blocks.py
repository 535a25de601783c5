"""Every operation on a block: its values, special numbers among them, and vector code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from bendtorch.kernels import blocks
from bendtorch.kernels.block_ops import Op, arity
from bendtorch.kernels.blocks import FUNCTIONS, block_kernel
from bendtorch.kernels.code_addresses import address_of
from bendtorch.kernels.compile import JIT, helper, uncached_kernel
from tests.support.arrays import numbers, same_numbers, special_numbers
from tests.support.kernels import require_vectors

sigmoid: Final = np.vectorize(lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0)
erf: Final = np.vectorize(math.erf)
ROOT_2: Final = math.sqrt(2)
SLOPE: Final = math.sqrt(8 / math.pi)


def normal(x: Any) -> Any:
    return (1 + erf(x / ROOT_2)) / 2


def gelu_slope(x: Any) -> Any:
    s = sigmoid(SLOPE * (x + 0.044715 * x**3))
    return s + x * s * (1 - s) * SLOPE * (1 + 3 * 0.044715 * x**2)


EXACT: Final[dict[Op, Callable[..., Any]]] = {
    Op.COPY: lambda x: x,
    Op.NEG: np.negative,
    Op.ABS: np.abs,
    Op.SIGN: lambda x: np.sign(x) + 0,
    Op.SQUARE: np.square,
    Op.SQRT: np.sqrt,
    Op.RECIPROCAL: lambda x: np.float32(1) / x,
    Op.RELU: lambda x: np.where(x < 0, np.float32(0), x),
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.MAXIMUM: lambda a, b: np.where((a >= b) | np.isnan(a), a, b),
    Op.MINIMUM: lambda a, b: np.where((a <= b) | np.isnan(a), a, b),
    Op.GT: np.greater,
    Op.GE: np.greater_equal,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
    Op.RELU_GRADIENT: lambda dy, y: np.where(y <= 0, np.float32(0), dy),
    Op.WHERE: lambda mask, a, b: np.where(mask != 0, a, b),
}
"""In float32, with the bits of numpy."""

CLOSE: Final[dict[Op, Callable[..., Any]]] = {
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.TANH: np.tanh,
    Op.SIGMOID: sigmoid,
    Op.ERF: erf,
    Op.GELU: lambda x: x * sigmoid(SLOPE * (x + 0.044715 * x**3)),
    Op.GELU_ERF: lambda x: x * normal(x),
    Op.SILU: lambda x: x * sigmoid(x),
    Op.SIGMOID_GRADIENT: lambda dy, y: dy * (1 - y) * y,
    Op.TANH_GRADIENT: lambda dy, y: dy * (1 - y * y),
    Op.GELU_GRADIENT: lambda dy, x: dy * gelu_slope(x),
    Op.GELU_ERF_GRADIENT: lambda dy, x: dy * (normal(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),
    Op.SILU_GRADIENT: lambda dy, x: dy * sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    Op.FMA: lambda a, b, c: a * b + c,
}
"""In float64, to within some units in the last place."""


def run(op: Op, args: list[Any]) -> Any:
    """The operation on all numbers; nothing is written beside the result."""
    room = np.full(args[0].size + 2, 7, np.float32)
    addresses = [address_of(x, x.size) for x in (args * 3)[:3]]
    with np.errstate(all="ignore"):  # with the JIT off, numpy warns
        block_kernel(op)(address_of(room[1:-1], args[0].size), *addresses, args[0].size)
    assert room[0] == room[-1] == 7
    return room[1:-1]


def test_every_operation_has_a_reference() -> None:
    assert {*EXACT} | {*CLOSE} == {*FUNCTIONS} == {op for op in Op if op >= Op.COPY}


@pytest.mark.parametrize("op", EXACT, ids=lambda op: op.name)
def test_bits(op: Op) -> None:
    for size in (0, 1, 67, 300):
        for make in (numbers, special_numbers):
            args = [make(size + i, size) for i in range(arity(op))]
            if arity(op) > 1:
                args[1][::3] = args[0][::3]  # ties
            with np.errstate(all="ignore"):
                expected = np.asarray(EXACT[op](*args), np.float32)
            assert same_numbers(run(op, args), expected)


@pytest.mark.parametrize("op", CLOSE, ids=lambda op: op.name)
def test_values(op: Op) -> None:
    args = [numbers(i, 300, scale=1.5) for i in range(arity(op))]
    if op is Op.LOG:
        args = [np.abs(args[0])]
    expected = CLOSE[op](*(x.astype(np.float64) for x in args))
    np.testing.assert_allclose(run(op, args), expected, rtol=2e-6, atol=2e-6 if arity(op) > 1 else 1e-9)


@pytest.mark.skipif(not JIT, reason="there is no code to look at with the JIT off")
@pytest.mark.parametrize(
    "op", [Op.SIGN, Op.SQRT, Op.MAXIMUM, Op.GE, Op.WHERE, Op.FMA, Op.GELU_GRADIENT], ids=lambda op: op.name
)
def test_vector_code(op: Op) -> None:
    function = FUNCTIONS[op]
    loop: Any = (blocks._of_one, blocks._of_two, blocks._of_three)[arity(op) - 1]
    kernel = uncached_kernel(loop(helper(function) if function.__name__ == "<lambda>" else function))
    kernel(0, 0, 0, 0, 0)
    require_vectors(kernel)
