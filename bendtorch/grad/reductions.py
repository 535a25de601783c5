"""Sums, means and maxima, and their adjoint, broadcasting.

    sum(x), mean(x)        of all elements, a scalar
    sum_to(x, shape)       over the axes that `shape` keeps as 1, or has not: (b, n) to (b, 1) sums each row
    max_to(x, shape)       the largest over these; equal ones share the gradient evenly
    broadcast_to(x, shape) repeated along axes of size 1, and new ones in front

Sums have float64 totals and are rounded once. They are computed when they are needed, together with the operations
number by number that they sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad import lazy
from bendtorch.grad.arrays import new_array
from bendtorch.grad.elementwise import equal, where
from bendtorch.grad.guards import guard_shape
from bendtorch.grad.lazy import Lazy, deferred
from bendtorch.grad.rule import Linear, Rule
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels import sums


@dataclass(frozen=True, slots=True)
class SumTo(Linear):
    """The sum over the axes that the shape lacks or keeps as 1."""

    shape: tuple[int, ...]
    name = "sum_to"

    def value(self, *xs: Lazy) -> Lazy:
        """The sums, later."""
        return lazy.sum_to(xs[0], self.shape)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The gradient of a sum is that of each of its terms."""
        return broadcast_to(d, xs[0].shape)


@dataclass(frozen=True, slots=True)
class BroadcastTo(Linear):
    """The same numbers repeated."""

    shape: tuple[int, ...]
    name = "broadcast_to"

    def value(self, *xs: Lazy) -> Lazy:
        """Repeated where they are used, without a copy."""
        return lazy.broadcast_to(xs[0], self.shape)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The gradients of the copies add up."""
        return sum_to(d, xs[0].shape)


@dataclass(frozen=True, slots=True)
class MaxTo(Rule):
    """The largest over the axes that the shape lacks or keeps as 1."""

    shape: tuple[int, ...]
    name = "max_to"

    def value(self, *xs: Lazy) -> Lazy:
        """The maxima, later."""
        return deferred(self.shape, lambda x: _maxima(x, self.shape), xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Even shares for the elements that are the largest."""
        hits = equal(xs[0], out)
        return where(hits, d / sum_to(hits, self.shape), 0.0)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The mean over the elements that are the largest."""
        d = ds[0]
        hits = equal(xs[0], out)
        return None if d is None else sum_to(where(hits, d, 0.0), self.shape) / sum_to(hits, self.shape)


def _maxima(x: Array, shape: tuple[int, ...]) -> Array:
    """The largest over the axes that the shape lacks or has as 1: these are brought to the end, and rows reduced."""
    padded = (1,) * (x.ndim - len(shape)) + shape
    gone = [axis for axis, size in enumerate(padded) if size == 1 and x.shape[axis] != 1]
    kept = [axis for axis in range(x.ndim) if axis not in gone]
    turned: Any = np.ascontiguousarray(x.transpose(*kept, *gone))
    rows = turned.reshape(math.prod(x.shape[axis] for axis in kept), math.prod(x.shape[axis] for axis in gone))
    out: Any = new_array((rows.shape[0], 1))
    sums.row_maxima(rows, out)
    largest: Array = out.reshape(shape)
    return largest


def sum(x: Var) -> Var:  # noqa: A001  the field's name
    """The sum of every element, a scalar."""
    guard_vars("sum", x)
    return sum_to(x, ())


def mean(x: Var) -> Var:
    """The mean of every element, a scalar. Raises `ShapeError` when there is none."""
    guard_vars("mean", x)
    if x.lazy.size == 0:
        raise ShapeError(f"mean: the mean over no elements is not defined, got the shape {list(x.shape)}")
    return sum_to(x, ()) / x.lazy.size


def sum_to(x: Var, shape: Sequence[int]) -> Var:
    """x summed to `shape`, over the axes that it keeps as 1 or has not.

    Raises `ShapeError` when `shape` does not broadcast to that of x.
    """
    guard_vars("sum_to", x)
    sizes = _smaller("sum_to", x.shape, shape)
    return x if sizes == x.shape else x.graph.record(SumTo(sizes), x)


def max_to(x: Var, shape: Sequence[int]) -> Var:
    """The largest of x over the axes that `shape` keeps as 1 or has not; NaN where there is one among them.

    Equal ones share the gradient evenly, as PyTorch's `amax`. Raises `ShapeError` when `shape` does not broadcast to
    that of x, or a maximum would be of no elements.
    """
    guard_vars("max_to", x)
    sizes = _smaller("max_to", x.shape, shape)
    if x.lazy.size == 0 and 0 not in sizes:
        raise ShapeError(f"max_to: no number is the largest of none, got the shapes {list(x.shape)} and {list(sizes)}")
    return x if sizes == x.shape else x.graph.record(MaxTo(sizes), x)


def broadcast_to(x: Var, shape: Sequence[int]) -> Var:
    """x repeated to `shape`. Raises `ShapeError` when it does not broadcast to that."""
    guard_vars("broadcast_to", x)
    sizes = guard_shape(shape, "broadcast_to")
    padded = (1,) * (len(sizes) - x.ndim) + x.shape
    if len(padded) != len(sizes) or any(size not in (1, to) for size, to in zip(padded, sizes, strict=True)):
        raise ShapeError(f"broadcast_to: the shape {list(x.shape)} does not broadcast to {list(sizes)}")
    return x if sizes == x.shape else x.graph.record(BroadcastTo(sizes), x)


def _smaller(operation: str, given: tuple[int, ...], shape: Sequence[int]) -> tuple[int, ...]:
    """The shape to reduce to; refuses one that does not broadcast to the given one."""
    sizes = guard_shape(shape, operation)
    padded = (1,) * (len(given) - len(sizes)) + sizes
    if len(sizes) > len(given) or any(size not in (1, of) for size, of in zip(padded, given, strict=True)):
        raise ShapeError(f"{operation}: the shape {list(given)} does not reduce to {list(sizes)}")
    return sizes
