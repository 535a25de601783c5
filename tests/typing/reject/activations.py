"""Activations and operations number by number that do not fit."""

from __future__ import annotations

from bendtorch import ActIn, ActOut, Dim, GELU, Layer, Linear, Mat, SiLU, Tanh, ops
from bendtorch.shapes.dims import C, D, N


def one(x: float) -> float:
    return x


def two(dy: float, x: float) -> float:
    return dy


def layers(n: Dim[N], d: Dim[D]) -> None:
    Linear(n, 3, d) >> GELU(n, 2 * d)  # E: >>: Linear gives Mat[N, D], GELU takes Mat[N, 2*D]  [bend-shape]
    SiLU(n, d) >> Tanh(d, n)  # E: >>: SiLU gives Mat[N, D], Tanh takes Mat[D, N]  [bend-shape]
    Linear(n, 3, 4) >> ActIn(one, two, n, 5)  # E: >>: Linear gives Mat[N, 4], ActIn takes Mat[N, 5]  [bend-shape]
    ActOut(two, two, n, d)  # E: Argument 1 to "ActOut" has incompatible type "Callable[[float, float], float]"; expected "Callable[[Any], Any]"  [arg-type]
    ActIn(one, one, n, d)  # E: Argument 2 to "ActIn" has incompatible type "Callable[[float], float]"; expected "Callable[[Any, Any], Any]"  [arg-type]


def operations(x: Mat[N, C], y: Mat[N, D], a: Mat[3, 4]) -> None:
    ops.zip(two, x, y)  # E: zip: "a" is Mat[N, C], "b" is Mat[N, D]  [bend-shape]
    ops.map(two, x)  # E: Argument 1 to "map" has incompatible type "Callable[[float, float], float]"; expected "Callable[[Any], Any]"  [arg-type]
    ops.zip(one, a, a)  # E: Argument 1 to "zip" has incompatible type "Callable[[float], float]"; expected "Callable[[Any, Any], Any]"  [arg-type]
    kept: Mat[4, 3] = ops.exp(a)  # E: the value is Mat[3, 4], declared Mat[4, 3]; turn it round with .T  [assignment]
