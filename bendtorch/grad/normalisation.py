"""Normalisation of the last axis, by the kernels of the layers.

    layer_norm(x, weight, bias)   (x - mean) / sqrt(variance + eps) · weight + bias
    rms_norm(x, weight)           x / sqrt(mean(x²) + eps) · weight

weight and bias have the length of the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad.arrays import matrix_of, new_array
from bendtorch.grad.elementwise import sqrt, square
from bendtorch.grad.lazy import Lazy, force, known
from bendtorch.grad.rule import Fused
from bendtorch.grad.softmax import row_sum, with_rows
from bendtorch.grad.tape import array_of, guard_vars, held
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.layer_norm import layer_norm_backward, layer_norm_forward
from bendtorch.kernels.rms_norm import rms_norm_backward, rms_norm_forward
from bendtorch.layers.rms_norm import checked_eps


class LayerNormRule(Fused):
    """Layer normalisation. It keeps the statistics of its rows for its backward pass."""

    __slots__ = ("eps", "statistics")
    name = "layer_norm"

    def __init__(self, eps: float) -> None:
        self.eps = eps
        self.statistics: Any = None

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        x, weight, bias = force(*xs)
        rows, out = matrix_of(x), new_array(x.shape)
        self.statistics = new_array((rows.shape[0], 3))
        layer_norm_forward(rows, _row(weight), _row(bias), self.eps, matrix_of(out), self.statistics)
        return known(out)

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """By the layer's kernel, of all inputs together."""
        x, weight, _ = map(array_of, xs)
        rows, dx = matrix_of(x), new_array(x.shape)
        gw, gb = np.zeros(weight.shape, np.float32), np.zeros(weight.shape, np.float32)
        dy = matrix_of(array_of(d))
        layer_norm_backward(rows, self.statistics, _row(weight), dy, matrix_of(dx), _row(gw), _row(gb))
        return held(d, dx, gw, gb)

    def definition(self, *xs: Var) -> Var:
        """Step by step."""
        x, weight, bias = xs
        count = x.shape[-1]
        centred = x - row_sum(x) / count
        return centred / sqrt(row_sum(square(centred)) / count + self.eps) * weight + bias


class RMSNormRule(Fused):
    """Normalisation by the root mean square. It keeps the roots of its rows for its backward pass."""

    __slots__ = ("eps", "roots")
    name = "rms_norm"

    def __init__(self, eps: float) -> None:
        self.eps = eps
        self.roots: Any = None

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        x, weight = force(*xs)
        rows, out = matrix_of(x), new_array(x.shape)
        self.roots = new_array((rows.shape[0], 1))
        rms_norm_forward(rows, _row(weight), self.eps, matrix_of(out), self.roots)
        return known(out)

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """By the layer's kernel, of both inputs together."""
        x, weight = map(array_of, xs)
        rows, dx, gw = matrix_of(x), new_array(x.shape), np.zeros(weight.shape, np.float32)
        rms_norm_backward(rows, self.roots, _row(weight), matrix_of(array_of(d)), matrix_of(dx), _row(gw))
        return held(d, dx, gw)

    def definition(self, *xs: Var) -> Var:
        """Step by step."""
        x, weight = xs
        return x / sqrt(row_sum(square(x)) / x.shape[-1] + self.eps) * weight


def _row(vector: Array) -> Array:
    return vector.reshape(1, -1)


def layer_norm(x: Var, weight: Var, bias: Var, eps: float = 1e-5) -> Var:
    """Layer normalisation of the last axis with a gain and a bias, as the layer `LayerNorm`.

    Raises `ShapeError` when weight or bias has not the length of the last axis, `ConfigError` for an eps below 0.
    """
    _check("layer_norm", x, weight=weight, bias=bias)
    return x.graph.record(LayerNormRule(checked_eps("layer_norm", eps)), x, weight, bias)


def rms_norm(x: Var, weight: Var, eps: float = 1e-5) -> Var:
    """Root mean square normalisation of the last axis with a gain, as the layer `RMSNorm`. Errors as `layer_norm`."""
    _check("rms_norm", x, weight=weight)
    return x.graph.record2(RMSNormRule(checked_eps("rms_norm", eps)), x, weight)


def _check(operation: str, x: Var, **vectors: Var) -> None:
    with_rows(operation, x)
    guard_vars(operation, *vectors.values())
    if x.shape[-1] == 0:
        raise ShapeError(f"{operation}: the last axis must have at least one element, got the shape {list(x.shape)}")
    for name, vector in vectors.items():
        if vector.shape != x.shape[-1:]:
            raise ShapeError(
                f"{operation}: {name} must have the shape {list(x.shape[-1:])}, the last axis of {list(x.shape)},"
                f" got {list(vector.shape)}"
            )
