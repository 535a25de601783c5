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
import weakref
from collections.abc import Callable
from typing import Final

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad.evaluate import evaluate, summed_axes
from bendtorch.grad.node import COPY, DEFERRED, LEAF, MUL, SUM, Array, Lazy, Shape, in_order
from bendtorch.kernels.block_ops import Op

__all__ = [
    "Lazy",
    "Op",
    "apply",
    "broadcast_to",
    "constant",
    "deferred",
    "force",
    "known",
    "leaf",
    "sum_to",
    "total",
    "value",
]

DEEPEST: Final = 64  # operations one behind the other: a longer expression is forced in parts


def leaf(array: Array) -> Lazy:
    """An array as an expression: float32 numbers, not copied where they are in C order. Raises `DtypeError`."""
    return known(in_order(array, "leaf"))


def known(array: Array) -> Lazy:
    """An array that is known to be what `leaf` asks for, one that an operation has just made, as an expression."""
    node = Lazy(LEAF, (), array.shape, array.size, 0)
    node.value = array
    return node


def constant(number: float, shape: Shape = ()) -> Lazy:
    """One number, rounded to float32, everywhere in a shape."""
    one = _one_number(number, math.copysign(1.0, number))
    return broadcast_to(one, shape) if shape else one


@functools.lru_cache(1024)
def _one_number(number: float, sign: float) -> Lazy:
    """The same node for the same number; its sign tells -0 from 0, which are equal."""
    return known(np.array(number, np.float32))


ONE: Final = constant(1.0)  # what a backward pass begins with


def deferred(shape: Shape, compute: Callable[..., Array], *args: Lazy) -> Lazy:
    """What a function gives for the values of the arguments: called when it is needed, and once.

    It must give a float32 array of `shape`: `ShapeError` or `DtypeError` says when it does not.
    """
    depth = 0
    for arg in args:
        depth = max(depth, arg.depth)
    node = Lazy(DEFERRED, args, shape, math.prod(shape), depth + 1)
    node.compute = compute
    if depth >= DEEPEST:
        force(node)
    return node


def apply(op: Op, *args: Lazy) -> Lazy:
    """The operation of one, two or three expressions. Raises `ShapeError` when their shapes do not broadcast."""
    if op is MUL and ONE in args:
        return args[1] if args[0] is ONE else args[0]
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
    if _broadcast(COPY, x.shape, shape)[0] != shape:
        raise ShapeError(f"broadcast_to: shape {list(x.shape)} does not broadcast to {list(shape)}")
    return Lazy(COPY, (x,), shape, math.prod(shape), x.depth + 1)


def sum_to(x: Lazy, shape: Shape) -> Lazy:
    """x summed over the axes that `shape` has not, or as 1, with totals in float64.

    Raises `ShapeError` when `shape` does not broadcast to that of x.
    """
    if x.shape == shape:
        return x
    for to in _steps(x.shape, shape):
        node = Lazy(SUM, (x,), to, math.prod(to), x.depth + 1)
        if x.value is None:
            x.summed = weakref.ref(node)
        x = node
    return x if x.shape == shape else Lazy(COPY, (x,), shape, x.size, x.depth + 1)


@functools.lru_cache(4096)
def _steps(shape: Shape, to: Shape) -> list[Shape]:
    """The shapes on the way: a sum is over neighbouring axes, the last ones first."""
    if _broadcast(SUM, shape, to)[0] != shape:
        raise ShapeError(f"sum_to: shape {list(shape)} cannot be summed to {list(to)}, which is larger")
    steps = []
    axes = summed_axes(shape, to)
    while axes:
        first = axes.pop()
        behind = shape[first + 1 :]
        while axes and all(size == 1 for size in shape[axes[-1] + 1 : first]):
            first = axes.pop()
        shape = (*shape[:first], *(1,) * (len(shape) - first - len(behind)), *behind)
        steps.append(to if not axes else shape)
    return steps


def total(x: Lazy) -> Lazy:
    """The sum of all numbers, of shape ()."""
    return sum_to(x, ())


def force(*roots: Lazy) -> list[Array]:
    """The values of expressions, computed in as few passes over memory as their shapes allow."""
    missing = [root for root in roots if root.value is None]
    if missing:
        evaluate(missing)
    return [root.value for root in roots if root.value is not None]


def value(x: Lazy) -> Array:
    """The value of one expression."""
    if x.value is None:
        evaluate([x])
    array = x.value
    assert array is not None
    return array
