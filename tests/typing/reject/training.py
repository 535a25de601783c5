"""Arrays, losses and models that a training step cannot take."""

from __future__ import annotations

from typing import Any

import numpy as np
from bendtorch import (
    SGD,
    CrossEntropy,
    Dim,
    Key,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    Mat,
    ReLU,
    Train,
    Unit,
    ids,
    mat,
)
from bendtorch.shapes.dims import N
from support.sketches import MSE


def mlp(n: Dim[N]) -> Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


model, loss = mlp(32), CrossEntropy(32, 10)
train = Train.new(model, SGD(0.1), model.init(Key(0)))
x, labels, scores = mat(32, 64, []), ids(32, []), mat(32, 10, [])

train.step(model, loss, x, scores)  # E
train.step(model, CrossEntropy(32, 11), x, labels)  # E
train.step(model, MSE(32, 10), x, labels)  # E
train.step(model, loss, mat(32, 63, []), labels)  # E
train.step(model, loss, mat(31, 64, []), labels)  # E
train.step(model, loss, x, ids(31, []))  # E
train.step(model, loss, labels, x)  # E
train.step(mlp(31), loss, x, labels)  # E
train.step(Linear(32, 64, 10), loss, x, labels)  # E
train.step(model, loss, x.T, labels)  # E
train.step(model, loss, np.zeros((32, 64)), labels)  # E
train.step(model, loss, x, np.zeros(32, np.float32))  # E
train.step(model, loss, x, np.zeros(32, np.int8))  # E
train.step(loss, model, x, labels)  # E
train.step(model, loss, x)  # E
train.step(model, loss, [[1.0]], labels)  # E
Train.new(model, SGD(0.1), Linear(32, 64, 10).zeros())  # E
Train.new(model, 0.1, model.zeros())  # E
other: Train[Lin[64, 10]] = train  # E
