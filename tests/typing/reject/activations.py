"""Activations and operations number by number that do not fit."""

from __future__ import annotations

from bendtorch import ActIn, ActOut, Dim, GELU, Layer, Linear, Mat, SiLU, Tanh, ops
from bendtorch.shapes.dims import C, D, N


def one(x: float) -> float:
    return x


def two(dy: float, x: float) -> float:
    return dy


def layers(n: Dim[N], d: Dim[D]) -> None:
    Linear(n, 3, d) >> GELU(n, 2 * d)  # E: XX
    SiLU(n, d) >> Tanh(d, n)  # E: XX
    Linear(n, 3, 4) >> ActIn(one, two, n, 5)  # E: XX
    ActOut(two, two, n, d)  # E: XX
    ActIn(one, one, n, d)  # E: XX
    ActIn(n, d, one, two)  # E: XX


def operations(x: Mat[N, C], y: Mat[N, D], a: Mat[3, 4]) -> None:
    ops.zip(two, x, y)  # E: XX
    ops.map(two, x)  # E: XX
    ops.zip(one, a, a)  # E: XX
    kept: Mat[4, 3] = ops.exp(a)  # E: XX
