"""One operation on a block of numbers that lies in the cache: 2 to 4 reads and writes a number, all of them there.

Each operation is a kernel of its own, compiled when it is first wanted and called by its address. Operations on which
the layers' results depend too are those of `activation` and `vecmath`, so they give the same bits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bendtorch.kernels import activation, vecmath
from bendtorch.kernels.block_ops import Op, arity
from bendtorch.kernels.code_addresses import code_of
from bendtorch.kernels.compile import JIT, helper, kernel
from bendtorch.kernels.panels import floats

ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
ADDRESSES: Final = 4  # of the result and of three operands

FUNCTIONS: Final[dict[Op, Callable[..., Any]]] = {
    Op.COPY: lambda x: x,
    Op.NEG: lambda x: -x,
    Op.ABS: abs,
    Op.SIGN: lambda x: ONE if x > ZERO else (-ONE if x < ZERO else (ZERO if x == ZERO else x)),
    Op.SQUARE: lambda x: x * x,
    Op.SQRT: lambda x: np.float32(np.sqrt(x)),
    Op.RECIPROCAL: lambda x: ONE / x,
    Op.EXP: vecmath.exp,
    Op.LOG: vecmath.log,
    Op.TANH: vecmath.tanh,
    Op.SIGMOID: vecmath.sigmoid,
    Op.ERF: vecmath.erf,
    Op.RELU: activation.relu,
    Op.GELU: activation.gelu,
    Op.GELU_ERF: activation.gelu_erf,
    Op.SILU: activation.silu,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b,
    Op.MAXIMUM: lambda a, b: a if a >= b or a != a else b,
    Op.MINIMUM: lambda a, b: a if a <= b or a != a else b,
    Op.GT: lambda a, b: ONE if a > b else ZERO,
    Op.GE: lambda a, b: ONE if a >= b else ZERO,
    Op.LT: lambda a, b: ONE if a < b else ZERO,
    Op.LE: lambda a, b: ONE if a <= b else ZERO,
    Op.EQ: lambda a, b: ONE if a == b else ZERO,
    Op.NE: lambda a, b: ONE if a != b else ZERO,
    Op.RELU_GRADIENT: activation.relu_gradient,
    Op.SIGMOID_GRADIENT: activation.sigmoid_gradient,
    Op.TANH_GRADIENT: activation.tanh_gradient,
    Op.GELU_GRADIENT: activation.gelu_gradient,
    Op.GELU_ERF_GRADIENT: activation.gelu_erf_gradient,
    Op.SILU_GRADIENT: activation.silu_gradient,
    Op.WHERE: lambda mask, a, b: a if mask != ZERO else b,
    Op.FMA: vecmath.fma,
}


def _of_one(function: Callable[..., Any]) -> Callable[..., None]:
    def block(out: int, x: int, y: int, z: int, size: int) -> None:
        result, a = floats(out, size), floats(x, size)
        for i in range(size):
            result[i] = function(a[i])

    return block


def _of_two(function: Callable[..., Any]) -> Callable[..., None]:
    def block(out: int, x: int, y: int, z: int, size: int) -> None:
        result, a, b = floats(out, size), floats(x, size), floats(y, size)
        for i in range(size):
            result[i] = function(a[i], b[i])

    return block


def _of_three(function: Callable[..., Any]) -> Callable[..., None]:
    def block(out: int, x: int, y: int, z: int, size: int) -> None:
        result, a, b, c = floats(out, size), floats(x, size), floats(y, size), floats(z, size)
        for i in range(size):
            result[i] = function(a[i], b[i], c[i])

    return block


@functools.cache
def block_kernel(op: Op) -> Callable[..., None]:
    """The kernel of an operation: `(result, x, y, z, size)`, all but the size addresses of blocks of numbers.

    The result must lie apart from the operands. A kernel of fewer operands does not look at the others' addresses.
    """
    function = FUNCTIONS[op]
    loop: Any = (_of_one, _of_two, _of_three)[arity(op) - 1]
    block = loop(helper(function) if JIT and function.__name__ == "<lambda>" else function)
    block.__qualname__ = f"block.{op.name}"  # its name on disk: see `cache`
    compiled: Callable[..., None] = kernel(block)
    return compiled


def block_code(op: Op) -> int:
    """The address of an operation's kernel."""
    return code_of(block_kernel(op), ADDRESSES + 1)
