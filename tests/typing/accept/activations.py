"""Activations, those of the user's own, and operations number by number."""

from __future__ import annotations

import math

from typing_extensions import assert_type

from bendtorch import GELU, ActIn, ActOut, Dim, GELUErf, Layer, Linear, Mat, Sigmoid, SiLU, Tanh, Unit, ops
from bendtorch.kernels.vecmath import tanh
from bendtorch.shapes.dims import C, D, N


def softplus(x: float) -> float:
    return math.log1p(math.exp(x))


def softplus_gradient(dy: float, y: float) -> float:
    return dy * (1 - math.exp(-y))


def of_ones_own(n: Dim[N], d: Dim[D]) -> Layer[Unit, Mat[N, D], Mat[N, D], Mat[N, D]]:
    assert_type(ActIn(lambda x: x, lambda dy, x: dy, 3, 4), Layer[Unit, Mat[3, 4], Mat[3, 4], Mat[3, 4]])
    assert_type(ActOut(tanh, lambda dy, y: dy * (1 - y * y), n, 2 * d), Layer[Unit, Mat[N, "2*D"], Mat[N, "2*D"], Mat[N, "2*D"]])
    Linear(n, 3, d) >> ActOut(softplus, softplus_gradient, n, d) >> Linear(n, d, 4) >> ActIn(c=4, n=n, d=softplus_gradient, f=softplus)
    return ActOut(softplus, softplus_gradient, n, d)


def in_chains(n: Dim[N], d: Dim[D]) -> None:
    net = Linear(n, d, 4 * d) >> GELU(n, 4 * d) >> Linear(n, 4 * d, d) >> SiLU(n, d) >> Tanh(n, d)
    net >> Sigmoid(n, d) >> GELUErf(n, d)


def operations(x: Mat[N, C], y: Mat[N, C], a: Mat[3, "2*D"]) -> None:
    assert_type(ops.exp(x), Mat[N, C])
    assert_type(ops.log(ops.sigmoid(ops.tanh(a))), Mat[3, "2*D"])
    assert_type(ops.relu(ops.erf(x)), Mat[N, C])
    assert_type(ops.map(softplus, a), Mat[3, "2*D"])
    assert_type(ops.map(lambda v: 2 * v, x), Mat[N, C])
    assert_type(ops.zip(softplus_gradient, x, y), Mat[N, C])
    assert_type(ops.zip(lambda p, q: p if p > q else q, x, ops.exp(y)), Mat[N, C])
