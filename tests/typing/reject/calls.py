"""Wrong arguments of layers, losses and users' functions."""

from __future__ import annotations

import numpy as np
from bendtorch import SGD, CrossEntropy, Dim, Lin, Linear, LinearNB, Mat, ReLU, ids, mat
from bendtorch.optim import NoMoments
from bendtorch.shapes.dims import C, I, N, O
from support.sketches import matmul

layer = Linear(3, 4, 5)
p, x, dy = layer.zeros(), mat(3, 4, []), mat(3, 5, [])
layer.fwd(p, mat(3, 5, []))  # E
layer.fwd(p, mat(4, 3, []))  # E
layer.fwd(p, mat(2, 4, []))  # E
layer.fwd(Linear(3, 4, 6).zeros(), x)  # E
layer.fwd(x, p)  # E
layer.fwd(p)  # E
layer.fwd(p, np.zeros((3, 4)))  # E
layer.fwd(p, np.zeros((3, 4), np.int64))  # E
layer.fwd(p, np.zeros(4, np.float32))  # E
layer.bwd(p, x, x, p)  # E
layer.bwd(p, dy, dy, p)  # E
layer.bwd(p, x, dy, LinearNB(3, 4, 5).zeros())  # E
layer.load(LinearNB(3, 4, 5).zeros(), layer.dump(p), 0)  # E
layer.step(SGD(0.1).at(1), p, Linear(3, 4, 6).zeros(), NoMoments())  # E
wrong: Mat[3, 4] = layer.fwd(p, x).y  # E
layer.fwd(p, x).y.nope  # E

loss = CrossEntropy(3, 5)
loss(mat(3, 4, []), ids(3, []))  # E
loss(dy, ids(4, []))  # E
loss(dy, dy)  # E
loss.grad(dy, np.zeros(3, np.float32))  # E
loss.value(ids(3, []), dy)  # E

Lin(mat(5, 4, []), mat(1, 4, []))  # E
Lin(mat(4, 5, []), mat(5, 1, []))  # E


def of_arrays(a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    return a + b


def of_size(n: Dim[N], a: Mat[N, C]) -> Mat[N, C]:
    return a


def square(a: Mat[N, N]) -> Mat[N, 1]:
    raise NotImplementedError


of_arrays(x, dy)  # E
of_arrays(x, x.T)  # E
of_size(2, x)  # E
square(x)  # E
of_arrays(np.zeros((3, 4)), x)  # E
of_arrays("a", x)  # E
of_size(2.5, x)  # E
matmul(x, dy)  # E
ReLU(3, 4)("x")  # E


def inferred(n: Dim[N], a: Mat[N, I], b: Mat[I, O]) -> Mat[N, O]:
    return matmul(b, a)  # E
