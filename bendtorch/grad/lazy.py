"""Expressions over float32 arrays that are computed when their values are needed.

    x, y = leaf(a), leaf(b)
    z = apply(Op.MUL, apply(Op.EXP, x), y)      # records, computes nothing
    total = sum_to(z, (1, 5))
    values = force(z, total)                    # one pass over memory, on all cores

An expression is a node of a graph without cycles: it has an operation and arguments until it is forced, a value from
then on. Shapes broadcast as numpy's do. Values are arrays in C order; a leaf's array is not copied, so it must not
change as long as an expression that is not yet forced refers to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad.evaluate import evaluate
from bendtorch.kernels.block_ops import Op

__all__ = [
    "Lazy",
    "Op",
    "apply",
    "broadcast_to",
    "constant",
    "deferred",
    "force",
    "leaf",
    "sum_to",
    "total",
    "value",
]

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Shape: TypeAlias = tuple[int, ...]

DEEPEST: Final = 64  # operations one behind the other: a longer expression is forced in parts


class Lazy:
    """A float32 array, or the expression that it will be computed from."""

    __slots__ = ("args", "compute", "depth", "op", "shape", "size", "times", "value")

    op: Op
    args: tuple[Lazy, ...]
    shape: Shape
    size: int
    depth: int
    times: int
    value: Array | None
    compute: Callable[..., Array] | None

    def __init__(self, op: Op, args: tuple[Lazy, ...], shape: Shape, size: int, depth: int) -> None:
        self.op = op
        self.args = args
        self.shape = shape
        self.size = size
        self.depth = depth  # of operations not yet computed
        self.times = 0  # how often it was computed on the way to something else
        self.value = None
        self.compute = None

    def __repr__(self) -> str:
        return f"Lazy({self.op.name}, shape={self.shape})"


def leaf(array: Array) -> Lazy:
    """An array as an expression: float32 numbers in C order. The array is not copied."""
    node = Lazy(Op.LEAF, (), array.shape, array.size, 0)
    node.value = array
    return node


def constant(number: float, shape: Shape = ()) -> Lazy:
    """One number, rounded to float32, everywhere in a shape."""
    return broadcast_to(_one_number(number), shape) if shape else _one_number(number)


@functools.lru_cache(1024)
def _one_number(number: float) -> Lazy:
    return leaf(np.array(number, np.float32))


def deferred(shape: Shape, compute: Callable[..., Array], *args: Lazy) -> Lazy:
    """What a function gives for the values of the arguments: called when it is needed, and once.

    It must give a float32 array of `shape` in C order.
    """
    depth = max((arg.depth for arg in args), default=0)
    node = Lazy(Op.DEFERRED, args, shape, math.prod(shape), depth + 1)
    node.compute = compute
    if depth >= DEEPEST:
        force(node)
    return node


def apply(op: Op, *args: Lazy) -> Lazy:
    """The operation of one, two or three expressions. Raises `ShapeError` when their shapes do not broadcast."""
    first = args[0]
    shape, size, depth = first.shape, first.size, first.depth
    for other in args[1:]:
        if other.shape != shape:
            shape, size = _broadcast(op, shape, other.shape)
        depth = max(depth, other.depth)
    node = Lazy(op, args, shape, size, depth + 1)
    if depth >= DEEPEST:
        force(node)
    return node


@functools.lru_cache(4096)
def _broadcast(op: Op, a: Shape, b: Shape) -> tuple[Shape, int]:
    """The shape of an operation's result, and its size."""
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        raise ShapeError(
            f"{op.name.lower()}: shapes {list(a)} and {list(b)} do not broadcast:"
            " aligned at the right, two sizes must be equal, or one of them 1"
        ) from None
    return shape, math.prod(shape)


def broadcast_to(x: Lazy, shape: Shape) -> Lazy:
    """x repeated to a larger shape. Raises `ShapeError` when it does not broadcast to that."""
    if x.shape == shape:
        return x
    if _broadcast(Op.COPY, x.shape, shape)[0] != shape:
        raise ShapeError(f"broadcast_to: shape {list(x.shape)} does not broadcast to {list(shape)}")
    return Lazy(Op.COPY, (x,), shape, math.prod(shape), x.depth + 1)


def sum_to(x: Lazy, shape: Shape) -> Lazy:
    """x summed over the axes that `shape` has not, or as 1, with totals in float64.

    Raises `ShapeError` when `shape` does not broadcast to that of x.
    """
    if x.shape == shape:
        return x
    if _broadcast(Op.SUM, x.shape, shape)[0] != x.shape:
        raise ShapeError(f"sum_to: shape {list(x.shape)} cannot be summed to {list(shape)}, which is larger")
    return Lazy(Op.SUM, (x,), shape, math.prod(shape), x.depth + 1)


def total(x: Lazy) -> Lazy:
    """The sum of all numbers, of shape ()."""
    return sum_to(x, ())


def force(*roots: Lazy) -> tuple[Array, ...]:
    """The values of expressions, computed in as few passes over memory as their shapes allow."""
    evaluate([root for root in roots if root.value is None])
    return tuple(root.value for root in roots if root.value is not None)


def value(x: Lazy) -> Array:
    """The value of one expression."""
    return force(x)[0]
