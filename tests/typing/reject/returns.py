"""Declared types that the value does not have."""

from __future__ import annotations

from typing import Any

from bendtorch import Bwd, CrossEntropy, Dim, Ids, Layer, Lin, Linear, Loss, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import C, I, N


def output(n: Dim[N]) -> Layer[Any, Mat[N, 64], Mat[N, 11], Any]:
    return Linear(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)  # E: the returned value gives Mat[N, 10], declared Mat[N, 11]  [return-value]


def parameters(n: Dim[N]) -> Layer[tuple[Lin[64, 32], Unit], Mat[N, 64], Mat[N, 33], Any]:
    return Linear(n, 64, 33) >> ReLU(n, 33)  # E: the returned value has parameters tuple[Lin[64, 33], Unit], declared tuple[Lin[64, 32], Unit]  [return-value]


def several(n: Dim[N]) -> Layer[Any, Mat[N, 5], Mat[N, 6], Any]:
    return Seq(Linear(n, 6, 7), ReLU(n, 7))  # E: the returned value takes Mat[N, 6], declared Mat[N, 5]; gives Mat[N, 7], declared Mat[N, 6]  [return-value]


def arithmetic(n: Dim[N], c: Dim[C]) -> Layer[Any, Mat[N, C], Mat[N, "2*C + 1"], Any]:
    return Linear(n, c, 2 * c - 1)  # E: the returned value gives Mat[N, 2*C - 1], declared Mat[N, 2*C + 1]  [return-value]


def matrix(x: Mat[N, I]) -> Mat[I, N]:
    return x  # E: the returned value is Mat[N, I], declared Mat[I, N]; turn it round with .T  [return-value]


def labels(x: Ids[N]) -> Mat[N, 1]:
    return x  # E: the returned value is Ids[N], declared Mat[N, 1]  [return-value]


def loss(n: Dim[N]) -> Loss[Mat[N, 10], Mat[N, 10]]:
    return CrossEntropy(n, 10)  # E: the returned value is Loss[Mat[N, 10], Ids[N]], declared Loss[Mat[N, 10], Mat[N, 10]]  [return-value]


def backward(x: Mat[N, I]) -> Bwd[Unit, Mat[I, N]]:
    return Bwd(x, ())  # E: Bwd: "dx" is Mat[N, I], expected Mat[I, N]; turn it round with .T  [arg-type]


layer: Layer[Any, Mat[3, 4], Mat[3, 4], Any] = Linear(3, 4, 5)  # E: the value gives Mat[3, 5], declared Mat[3, 4]  [assignment]
weights: Lin[4, 6] = Linear(3, 4, 5).zeros()  # E: the value is Lin[4, 5], declared Lin[4, 6]  [assignment]
array: Mat[3, 4] = Linear(3, 4, 5)  # E: the value is Layer[Lin[4, 5], Mat[3, 4], Mat[3, 5], Mat[3, 4]], declared Mat[3, 4]  [assignment]
function: Linear = 3  # E: Function "Linear" is not valid as a type  [valid-type] # N: Perhaps you need "Callable[...]" or a callback protocol?
reveal_type(Linear(3, 4, 5))  # N: Revealed type is "Layer[Lin[4, 5], Mat[3, 4], Mat[3, 5], Mat[3, 4]]"
