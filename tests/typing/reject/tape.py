"""Layers made from functions on Vars have sizes like any other."""

from __future__ import annotations

from bendtorch import Dim, Key, Linear, Mat, grad
from bendtorch.layer import no_params
from bendtorch.shapes.dims import D, N


def softsign(x: grad.Var) -> grad.Var:
    return x / (grad.abs(x) + 1.0)


def sizes(n: Dim[N], d: Dim[D], x: Mat[N, D]) -> None:
    Linear(n, 3, d) >> grad.layer_of(softsign, n, 2 * d, d, no_params())  # E: >>: Linear gives Mat[N, D], layer_of takes Mat[N, 2*D]  [bend-shape]
    grad.layer_of(softsign, n, d, 4, no_params()) >> Linear(n, 5, 4)  # E: >>: layer_of gives Mat[N, 4], Linear takes Mat[N, 5]  [bend-shape]


def parameters(g: grad.Graph, n: Dim[N]) -> None:
    layer = Linear(n, 3, 4)
    grad.record(layer, g, Linear(n, 4, 3).init(Key(0)))  # E: record: the layer has parameters Lin[3, 4], "p" is Lin[4, 3]  [bend-shape]
    grad.layer_of(softsign, n, 3, 4, 5)  # E: layer_of: "params" is int, expected Params[_]  [arg-type]
