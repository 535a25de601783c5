"""The values of expressions, each operation by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bendtorch.kernels import activation, elementwise
from bendtorch.kernels.block_ops import Op

if TYPE_CHECKING:
    from bendtorch.grad.lazy import Lazy

ONE: Final = np.float32(1)


def _mapped(kernel: Any) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        flat = [np.ascontiguousarray(a).reshape(1, -1) for a in np.broadcast_arrays(*args)]
        out = np.empty_like(flat[0])
        kernel(*flat, out)
        return out.reshape(np.broadcast_shapes(*(a.shape for a in args)))

    return run


def _fma(a: Any, b: Any, c: Any) -> Any:
    return (a.astype(np.float64) * b + c).astype(np.float32)


FUNCTIONS: Final[dict[Op, Callable[..., Any]]] = {
    Op.NEG: np.negative,
    Op.ABS: np.abs,
    Op.SIGN: np.sign,
    Op.SQUARE: np.square,
    Op.SQRT: np.sqrt,
    Op.RECIPROCAL: lambda x: ONE / x,
    Op.EXP: _mapped(elementwise.exp),
    Op.LOG: _mapped(elementwise.log),
    Op.TANH: _mapped(elementwise.tanh),
    Op.SIGMOID: _mapped(elementwise.sigmoid),
    Op.ERF: _mapped(elementwise.erf),
    Op.RELU: _mapped(activation.relu_forward),
    Op.GELU: _mapped(activation.gelu_forward),
    Op.GELU_ERF: _mapped(activation.gelu_erf_forward),
    Op.SILU: _mapped(activation.silu_forward),
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
    Op.RELU_GRADIENT: _mapped(activation.relu_backward),
    Op.SIGMOID_GRADIENT: _mapped(activation.sigmoid_backward),
    Op.TANH_GRADIENT: _mapped(activation.tanh_backward),
    Op.GELU_GRADIENT: _mapped(activation.gelu_backward),
    Op.GELU_ERF_GRADIENT: _mapped(activation.gelu_erf_backward),
    Op.SILU_GRADIENT: _mapped(activation.silu_backward),
    Op.WHERE: lambda mask, a, b: np.where(mask != 0, a, b),
    Op.FMA: _fma,
}


def evaluate(roots: list[Lazy]) -> None:
    """Give every root, and all that it is computed from, its value."""
    stack = list(roots)
    while stack:
        node = stack[-1]
        waiting = [x for x in node.args if x.value is None]
        stack += waiting
        if not waiting:
            stack.pop()
            if node.value is None:
                node.value = _computed(node)
                node.args, node.depth, node.compute = (), 0, None


def _computed(node: Lazy) -> Any:
    with np.errstate(all="ignore"):
        values: list[Any] = [x.value for x in node.args]
        if node.compute is not None:
            return node.compute(*values)
        if node.op is Op.SUM:
            return _sum_to(values[0], node.shape)
        if node.op is Op.COPY:
            return np.broadcast_to(values[0], node.shape).copy()
        return np.asarray(FUNCTIONS[node.op](*values), np.float32, order="C")


def _sum_to(x: Any, shape: tuple[int, ...]) -> Any:
    added = x.ndim - len(shape)
    axes = tuple(i for i in range(x.ndim) if i < added or (shape[i - added] == 1 and x.shape[i] != 1))
    return x.sum(axes, np.float64, keepdims=True).astype(np.float32).reshape(shape)
