"""Declared types that the value does not have."""

from __future__ import annotations

from typing import Any

from bendtorch import Bwd, CrossEntropy, Dim, Ids, Layer, Lin, Linear, Loss, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import C, I, N


def output(n: Dim[N]) -> Layer[Any, Mat[N, 64], Mat[N, 11], Any]:
    return Linear(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)  # E


def parameters(n: Dim[N]) -> Layer[tuple[Lin[64, 32], Unit], Mat[N, 64], Mat[N, 33], Any]:
    return Linear(n, 64, 33) >> ReLU(n, 33)  # E


def several(n: Dim[N]) -> Layer[Any, Mat[N, 5], Mat[N, 6], Any]:
    return Seq(Linear(n, 6, 7), ReLU(n, 7))  # E


def arithmetic(n: Dim[N], c: Dim[C]) -> Layer[Any, Mat[N, C], Mat[N, "2*C + 1"], Any]:
    return Linear(n, c, 2 * c - 1)  # E


def matrix(x: Mat[N, I]) -> Mat[I, N]:
    return x  # E


def labels(x: Ids[N]) -> Mat[N, 1]:
    return x  # E


def loss(n: Dim[N]) -> Loss[Mat[N, 10], Mat[N, 10]]:
    return CrossEntropy(n, 10)  # E


def backward(x: Mat[N, I]) -> Bwd[Unit, Mat[I, N]]:
    return Bwd(x, ())  # E


layer: Layer[Any, Mat[3, 4], Mat[3, 4], Any] = Linear(3, 4, 5)  # E
weights: Lin[4, 6] = Linear(3, 4, 5).zeros()  # E
array: Mat[3, 4] = Linear(3, 4, 5)  # E
function: Linear = 3  # E
reveal_type(Linear(3, 4, 5))  # E
