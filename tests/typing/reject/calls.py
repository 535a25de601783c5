"""Wrong arguments of layers, losses and users' functions."""

from __future__ import annotations

import numpy as np
from support.sketches import matmul

from bendtorch import SGD, CrossEntropy, Dim, Lin, Linear, LinearNB, Mat, ReLU, ids, mat
from bendtorch.optim import NoMoments
from bendtorch.shapes.dims import C, I, N, O

layer = Linear(3, 4, 5)
p, x, dy = layer.zeros(), mat(3, 4, []), mat(3, 5, [])
layer.fwd(p, mat(3, 5, []))  # E: Layer.fwd: "x" is Mat[3, 5], the layer takes Mat[3, 4]  [arg-type]
layer.fwd(p, mat(4, 3, []))  # E: Layer.fwd: "x" is Mat[4, 3], the layer takes Mat[3, 4]; turn it round with .T  [arg-type]
layer.fwd(p, mat(2, 4, []))  # E: Layer.fwd: "x" is Mat[2, 4], the layer takes Mat[3, 4]  [arg-type]
layer.fwd(Linear(3, 4, 6).zeros(), x)  # E: Layer.fwd: "p" is Lin[4, 6], expected Lin[4, 5]  [arg-type]
layer.fwd(x, p)  # E: Layer.fwd: "p" is Mat[3, 4], expected Lin[4, 5]  [arg-type] # E: Layer.fwd: "x" is Lin[4, 5], the layer takes Mat[3, 4]  [arg-type]
layer.fwd(p)  # E: Too few arguments for "fwd" of "Layer"  [call-arg]
layer.fwd(p, np.zeros((3, 4)))  # E: Layer.fwd: "x" is float64[3, 4], the layer takes Mat[3, 4]; convert it with .astype(np.float32)  [arg-type]
layer.fwd(p, np.zeros((3, 4), np.int64))  # E: Layer.fwd: "x" is int64[3, 4], the layer takes Mat[3, 4]; convert it with .astype(np.float32)  [arg-type]
layer.fwd(p, np.zeros(4, np.float32))  # E: Layer.fwd: "x" is float32[4], the layer takes Mat[3, 4]; give a matrix, a row for each example  [arg-type]
layer.bwd(p, x, x, p)  # E: Layer.bwd: "dy" is Mat[3, 4], the layer gives Mat[3, 5]  [arg-type]
layer.bwd(p, dy, dy, p)  # E: Layer.bwd: "s" is Mat[3, 5], the layer saves Mat[3, 4]  [arg-type]
layer.bwd(p, x, dy, LinearNB(3, 4, 5).zeros())  # E: Layer.bwd: "g" is Mat[5, 4], expected Lin[4, 5]  [arg-type]
layer.load(LinearNB(3, 4, 5).zeros(), layer.dump(p), 0)  # E: Layer.load: "p" is Mat[5, 4], expected Lin[4, 5]  [arg-type]
layer.step(SGD(0.1).at(1), p, Linear(3, 4, 6).zeros(), NoMoments())  # E: Layer.step: "g" is Lin[4, 6], expected Lin[4, 5]  [arg-type]
wrong: Mat[3, 4] = layer.fwd(p, x).y  # E: the value is Mat[3, 5], declared Mat[3, 4]  [assignment]
layer.fwd(p, x).y.nope  # E: "Mat[3, 5]" has no attribute "nope"  [attr-defined]

loss = CrossEntropy(3, 5)
loss(mat(3, 4, []), ids(3, []))  # E: Loss: "y" is Mat[3, 4], the loss takes Mat[3, 5]  [arg-type]
loss(dy, ids(4, []))  # E: Loss: "target" is Ids[4], the loss takes Ids[3]  [arg-type]
loss(dy, dy)  # E: Loss: "target" is Mat[3, 5], the loss takes Ids[3]  [arg-type]
loss.grad(dy, np.zeros(3, np.float32))  # E: Loss.grad: "target" is float32[3], the loss takes Ids[3]; convert it with .astype(np.int64)  [arg-type]
loss.value(ids(3, []), dy)  # E: Loss.value: "target" is Mat[3, 5], the loss takes Ids[3]  [arg-type] # E: Loss.value: "y" is Ids[3], the loss takes Mat[3, 5]  [arg-type]

Lin(mat(5, 4, []), mat(1, 4, []))  # E: Lin: "weight" is Mat[5, 4], "bias" is Mat[1, 4]  [bend-shape]
Lin(mat(4, 5, []), mat(5, 1, []))  # E: Lin: "bias" is Mat[5, 1], expected Mat[1, 4]  [bend-shape]


def of_arrays(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    return a + b


def of_size(n: Dim[N], a: Mat[N, C]) -> Mat[N, C]:
    return a


def square(a: Mat[N, N]) -> Mat[N, 1]:
    raise NotImplementedError


of_arrays(x, dy)  # E: of_arrays: "a" is Mat[3, 4], "b" is Mat[3, 5]  [bend-shape]
of_arrays(x, x.T)  # E: of_arrays: "a" is Mat[3, 4], "b" is Mat[4, 3]  [bend-shape]
of_size(2, x)  # E: of_size: "a" is Mat[3, 4], expected Mat[2, 4]  [bend-shape]
square(x)  # E: square: "a" is Mat[3, 4], expected Mat[3, 3]  [bend-shape]
of_arrays(np.zeros((3, 4)), x)  # E: of_arrays: "a" is float64[3, 4], expected Mat[3, 4]; convert it with .astype(np.float32)  [arg-type]
of_arrays("a", x)  # E: of_arrays: "a" is str, expected Mat[_, _]  [arg-type]
of_size(2.5, x)  # E: Argument 1 to "of_size" has incompatible type "float"; expected "int"  [arg-type]
matmul(x, dy)  # E: matmul: "a" is Mat[3, 4], "b" is Mat[3, 5]  [bend-shape]
ReLU(3, 4)("x")  # E: "Layer[Unit, Mat[3, 4], Mat[3, 4], Mat[3, 4]]" not callable  [operator]


def inferred(n: Dim[N], a: Mat[N, I], b: Mat[I, O]) -> Mat[N, O]:
    return matmul(b, a)  # E: matmul: "a" is Mat[I, O], "b" is Mat[N, I]  [bend-shape]
