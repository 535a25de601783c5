"""The row-wise layers in float64 numpy, with bounds: softmax, log-softmax, RMSNorm, LayerNorm.

The bounds follow the terms of each formula: a float32 exponential is off by the rounding of its argument, so by |x - m|
roundings beside its own; a sum of k terms by k roundings of the sum of their sizes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tests.support.references import F64, TINY, UNIT, Bounded, Gradients, Reference

RUN: Final = 24  # roundings of a float32 sum over a run of rows, and of the total


def _rows(function: str, x: F64) -> F64:
    """A reduction of each row, as a column."""
    result: F64 = getattr(x, function)(axis=1, keepdims=True)
    return result


def _softmax(x: F64) -> tuple[F64, F64]:
    """Softmax and the relative error of each probability, in roundings."""
    with np.errstate(invalid="ignore"):
        depth = _rows("max", x) - x
        e = np.exp(-depth)
        y = e / _rows("sum", e)
    dead = np.all(x == -np.inf, axis=1, keepdims=True)
    y = np.where(dead, 0.0, y)
    finite = np.where(np.isfinite(depth), depth, 0.0)
    roundings = finite + _rows("sum", np.nan_to_num(y) * finite) + x.shape[1] + 12
    return y, roundings


def _softmax_forward(p: tuple[F64, ...], x: F64) -> Bounded:
    y, roundings = _softmax(x)
    return Bounded(y, UNIT * roundings * y + TINY)


def _softmax_backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
    y, roundings = _softmax(x)
    mean = _rows("sum", y * dy)
    mean_error = _rows("sum", np.abs(y * dy) * (roundings + x.shape[1] + 2))
    error = y * ((roundings + 2) * np.abs(dy - mean) + np.abs(dy) + np.abs(mean) + mean_error)
    return Gradients(Bounded(y * (dy - mean), UNIT * error + TINY))


def _log_softmax(x: F64) -> tuple[F64, F64]:
    """The logarithm of softmax, and its error."""
    with np.errstate(invalid="ignore"):
        depth = _rows("max", x) - x
        e = np.exp(-depth)
        y = -depth - np.log(_rows("sum", e))
    finite = np.where(np.isfinite(depth), depth, 0.0)
    share = np.nan_to_num(e / _rows("sum", e))
    roundings = finite + np.nan_to_num(np.abs(y), posinf=0) + _rows("sum", share * finite) + 2 * x.shape[1] + 12
    dead = np.all(x == -np.inf, axis=1, keepdims=True)
    return np.where(dead, -np.inf, y), UNIT * roundings


def _log_softmax_backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
    y, error = _log_softmax(x)
    share, total = np.exp(y), _rows("sum", dy)
    total_error = UNIT * (x.shape[1] + 1) * _rows("sum", np.abs(dy))
    dx = dy - share * total
    bound = share * np.abs(total) * (error + 4 * UNIT) + share * total_error + UNIT * np.abs(dx)
    dead = np.all(x == -np.inf, axis=1, keepdims=True)
    return Gradients(Bounded(np.where(dead, 0.0, dx), bound + TINY))


def rms_norm(n: int, c: int, eps: float) -> Reference:
    """RMSNorm: x̂ = x·k is off by three roundings."""

    def normal(x: F64) -> tuple[F64, F64]:
        k = 1 / np.sqrt(_rows("mean", x * x) + eps)
        return k, x * k

    def forward(p: tuple[F64, ...], x: F64) -> Bounded:
        y = normal(x)[1] * p[0]
        return Bounded(y, 4 * UNIT * np.abs(y) + TINY)

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        (k, hat), h = normal(x), dy * p[0]
        mean, mean_error = _rows("mean", h * hat), (c + 6) * _rows("mean", np.abs(h * hat))
        error = 4 * np.abs(h) + np.abs(hat) * (6 * np.abs(mean) + mean_error)
        dx = Bounded(k * (h - hat * mean), UNIT * k * error + TINY)
        return Gradients(dx, (_column_sums(dy * hat),))

    return Reference(forward, backward)


def layer_norm(n: int, c: int, eps: float) -> Reference:
    """LayerNorm: x̂ = (x - mean)·k is off by five roundings."""

    def normal(x: F64) -> tuple[F64, F64]:
        apart = x - _rows("mean", x)
        k = 1 / np.sqrt(_rows("mean", apart * apart) + eps)
        return k, apart * k

    def forward(p: tuple[F64, ...], x: F64) -> Bounded:
        weighted = normal(x)[1] * p[0]
        y = weighted + p[1]
        return Bounded(y, UNIT * (6 * np.abs(weighted) + np.abs(y)) + TINY)

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        (k, hat), h = normal(x), dy * p[0]
        plain, weighted = _rows("mean", h), _rows("mean", h * hat)
        plain_error, weighted_error = (c + 3) * _rows("mean", np.abs(h)), (c + 8) * _rows("mean", np.abs(h * hat))
        error = 5 * (np.abs(h) + np.abs(plain)) + plain_error + np.abs(hat) * (9 * np.abs(weighted) + weighted_error)
        dx = Bounded(k * (h - plain - hat * weighted), UNIT * k * error + TINY)
        return Gradients(dx, (_column_sums(dy * hat), _column_sums(dy)))

    return Reference(forward, backward)


def _column_sums(terms: F64) -> Bounded:
    total = terms.sum(axis=0, keepdims=True)
    return Bounded(total, UNIT * RUN * np.abs(terms).sum(axis=0, keepdims=True) + TINY)


SOFTMAX: Final = Reference(_softmax_forward, _softmax_backward)
LOG_SOFTMAX: Final = Reference(lambda p, x: Bounded(*_log_softmax(x)), _log_softmax_backward)
