"""Softmax and log-softmax over the last axis, by the kernels of the layers.

    softmax(x)_j = e^x_j / Σ e^x        log_softmax(x)_j = x_j - log Σ e^x

A row that is all -inf has a softmax of zeros, a log-softmax of -inf, and no derivative. The gradients are operations of
their own, with derivatives: g(d, y) = y·(d - Σ y·d) and g(d, y) = d - e^y·Σ d.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from bendtorch.errors import ShapeError
from bendtorch.grad.arrays import matrix_of, new_array
from bendtorch.grad.elementwise import equal, exp, where
from bendtorch.grad.lazy import Lazy, constant, deferred
from bendtorch.grad.reductions import max_to, sum_to
from bendtorch.grad.rule import Rule
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.log_softmax import log_softmax_backward, log_softmax_forward
from bendtorch.kernels.softmax import softmax_backward, softmax_forward


class Softmax(Rule):
    """The probabilities of each row."""

    __slots__ = ()
    name = "softmax"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel."""
        return _by_rows(softmax_forward, *xs)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """y·(d - Σ y·d)."""
        return d.graph.record2(SOFTMAX_GRADIENT, d, out)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The same: the Jacobian is symmetric."""
        d = ds[0]
        return None if d is None else d.graph.record2(SOFTMAX_GRADIENT, d, out)


class SoftmaxGradient(Rule):
    """g(d, y) = y·(d - Σ y·d)."""

    __slots__ = ()
    name = "softmax_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel."""
        d, y = xs
        return _by_rows(softmax_backward, y, d)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """It is symmetric in its first argument; of y it has two factors."""
        given, y = xs
        if i == 0:
            return d.graph.record2(SOFTMAX_GRADIENT, d, y)
        return d * (given - row_sum(y * given)) - given * row_sum(y * d)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The sum over both arguments."""
        (given, y), (d_given, d_y) = xs, ds
        first = None if d_given is None else d_given.graph.record2(SOFTMAX_GRADIENT, d_given, y)
        if d_y is None:
            return first
        second = d_y * (given - row_sum(y * given)) - y * row_sum(d_y * given)
        return second if first is None else first + second


class LogSoftmax(Rule):
    """The logarithms of the probabilities of each row."""

    __slots__ = ()
    name = "log_softmax"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel."""
        return _by_rows(log_softmax_forward, *xs)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """d - e^y·Σ d."""
        return d.graph.record2(LOG_SOFTMAX_GRADIENT, d, out)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """d - Σ e^y·d, but nothing for a row that is all -inf."""
        return None if ds[0] is None else _centred(ds[0], out)


class LogSoftmaxGradient(Rule):
    """g(d, y) = d - e^y·Σ d."""

    __slots__ = ()
    name = "log_softmax_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel."""
        d, y = xs
        return _by_rows(log_softmax_backward, y, d)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """d - Σ e^y·d for the first argument, -d·e^y·Σ for the second."""
        given, y = xs
        return _centred(d, y) if i == 0 else -d * (exp(y) * row_sum(given))

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The sum over both arguments."""
        (given, y), (d_given, d_y) = xs, ds
        first = None if d_given is None else d_given.graph.record2(LOG_SOFTMAX_GRADIENT, d_given, y)
        if d_y is None:
            return first
        second = -d_y * (exp(y) * row_sum(given))
        return second if first is None else first + second


SOFTMAX: Final = Softmax()
SOFTMAX_GRADIENT: Final = SoftmaxGradient()
LOG_SOFTMAX: Final = LogSoftmax()
LOG_SOFTMAX_GRADIENT: Final = LogSoftmaxGradient()


def row_sum(x: Var) -> Var:
    """The sum over the last axis, which stays as one of size 1."""
    return sum_to(x, (*x.shape[:-1], 1))


def _centred(d: Var, y: Var) -> Var:
    """d - Σ e^y·d; nothing where the row of y is all -inf."""
    if not y.shape[-1]:
        return d
    rows = max_to(y, (*y.shape[:-1], 1))
    nowhere = equal(rows, y.graph.hold(constant(-math.inf)))
    return where(nowhere, 0.0, d - row_sum(exp(y) * d))


def _by_rows(kernel: Callable[..., None], *xs: Lazy) -> Lazy:
    """A kernel over rows, later."""

    def computed(*arrays: Array) -> Array:
        out = new_array(xs[0].shape)
        if out.size:
            matrices: list[Any] = [matrix_of(array) for array in (*arrays, out)]
            kernel(*matrices)
        return out

    return deferred(xs[0].shape, computed, *xs)


def softmax(x: Var) -> Var:
    """Softmax over the last axis, as the layer `Softmax`."""
    return x.graph.record1(SOFTMAX, with_rows("softmax", x))


def log_softmax(x: Var) -> Var:
    """Log-softmax over the last axis, as the layer `LogSoftmax`."""
    return x.graph.record1(LOG_SOFTMAX, with_rows("log_softmax", x))


def with_rows(operation: str, x: Var) -> Var:
    """x when it has a last axis."""
    guard_vars(operation, x)
    if x.ndim == 0:
        raise ShapeError(f"{operation}: x must have at least one axis, got a scalar")
    return x
