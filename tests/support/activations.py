"""Activations in float64 numpy, the judges of the package's float32.

The bounds are in units of 2^-23 of the result, or of the terms that it is the sum of: two for each rounding of an
elementary function, half for each operation. An exponential has the relative error of its argument times its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from tests.support.references import F64, Bounded, Gradients, Reference

ULP: Final = 2.0**-23
SMALLEST: Final = 2.0**-149
ROOT: Final = math.sqrt(2 / math.pi)

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def within(value: F64, scale: F64, x: F64) -> Bounded:
    """A value that may be off by that many ulps of itself; a factor below the normal range is multiplied by x."""
    return Bounded(value, ULP * scale * np.abs(value) + 4 * SMALLEST * (1 + np.abs(x)))


def logistic(v: F64) -> F64:
    """1 / (1 + e^-v), without overflow and without cancellation."""
    z = np.exp(-np.abs(v))
    result: F64 = np.where(v < 0, z, 1.0) / (1 + z)
    return result


def inner(x: F64) -> F64:
    """The 2u of GELU."""
    return 2 * ROOT * (x + 0.044715 * x * x * x)


def normal(x: F64) -> F64:
    """The chance that a normally distributed number is below x."""
    result: F64 = _erfc(-x / math.sqrt(2)) / 2
    return result


def _by_output(f: Callable[[F64], F64], slope: Callable[[F64], F64], ulps: float) -> Reference:
    """An activation whose derivative is `slope` of its output. Where y is nearly flat, its own error decides."""

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        y = f(x)
        return Gradients(Bounded(dy * slope(y), np.abs(dy) * ULP * (4 * np.abs(y) + 2 * slope(y)) + 4 * SMALLEST))

    return Reference(lambda p, x: within(f(x), np.asarray(ulps), np.zeros_like(x)), backward)


def _by_input(
    f: Callable[[F64], F64], slope: Callable[[F64], tuple[F64, F64]], argument: Callable[[F64], F64]
) -> Reference:
    """An activation whose derivative is the sum of two terms; `argument` is that of its exponential."""

    def ulps(x: F64) -> F64:
        return 6 + 4 * np.minimum(np.abs(argument(x)), 110)

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        one, two = slope(x)
        size = np.abs(one) + np.abs(two)
        bound = np.abs(dy) * (ULP * ulps(x) * size + 4 * SMALLEST * (1 + np.abs(x)) ** 3) + SMALLEST
        return Gradients(Bounded(dy * (one + two), bound))

    return Reference(lambda p, x: within(f(x), ulps(x), x), backward)


def _silu_slope(x: F64) -> tuple[F64, F64]:
    return logistic(x), x * logistic(x) * logistic(-x)


def _gelu_slope(x: F64) -> tuple[F64, F64]:
    v = inner(x)
    return logistic(v), x * (logistic(v) * logistic(-v)) * 2 * ROOT * (1 + 3 * 0.044715 * x * x)


def _gelu_erf_slope(x: F64) -> tuple[F64, F64]:
    return normal(x), x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


SIGMOID: Final = _by_output(logistic, lambda y: (1 - y) * y, 2)
TANH: Final = _by_output(np.tanh, lambda y: 1 - y * y, 1.3)
SILU: Final = _by_input(lambda x: x * logistic(x), _silu_slope, lambda x: x)
GELU: Final = _by_input(lambda x: x * logistic(inner(x)), _gelu_slope, inner)
GELU_ERF: Final = _by_input(lambda x: x * normal(x), _gelu_erf_slope, lambda x: x)  # the tail is a difference
