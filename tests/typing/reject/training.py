"""Arrays, losses and models that a training step cannot take."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import (
    MSE,
    SGD,
    CrossEntropy,
    Dim,
    Ids,
    Key,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    Loss,
    Mat,
    ReLU,
    Train,
    Unit,
    accuracy,
    batches,
    fit,
    ids,
    mat,
)
from bendtorch.shapes.dims import N


def mlp(n: Dim[N]) -> Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


model, loss = mlp(32), CrossEntropy(32, 10)
train = Train.new(model, SGD(0.1), model.init(Key(0)))
x, labels, scores = mat(32, 64, []), ids(32, []), mat(32, 10, [])

train.step(model, loss, x, scores)  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is Mat[32, 10]  [bend-shape]
train.step(model, CrossEntropy(32, 11), x, labels)  # E: Train.step: the model gives Mat[32, 10], "loss" is Loss[Mat[32, 11], Ids[32]]  [bend-shape]
train.step(model, MSE(32, 10), x, labels)  # E: Train.step: "loss" is Loss[Mat[32, 10], Mat[32, 10]], "target" is Ids[32]  [bend-shape]
train.step(model, loss, mat(32, 63, []), labels)  # E: Train.step: the model takes Mat[32, 64], "x" is Mat[32, 63]  [bend-shape]
train.step(model, loss, mat(31, 64, []), labels)  # E: Train.step: the model takes Mat[32, 64], "x" is Mat[31, 64]  [bend-shape]
train.step(model, loss, x, ids(31, []))  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is Ids[31]  [bend-shape]
train.step(model, loss, labels, x)  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is Mat[32, 64]  [bend-shape] # E: Train.step: the model takes Mat[32, 64], "x" is Ids[32]  [bend-shape]
train.step(mlp(31), loss, x, labels)  # E: Train.step: the model gives Mat[31, 10], "loss" is Loss[Mat[32, 10], Ids[32]]  [bend-shape] # E: Train.step: the model takes Mat[31, 64], "x" is Mat[32, 64]  [bend-shape]
train.step(Linear(32, 64, 10), loss, x, labels)  # E: Train.step: the model has parameters Lin[64, 10], expected tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]  [bend-shape]
train.step(model, loss, x.T, labels)  # E: Train.step: the model takes Mat[32, 64], "x" is Mat[64, 32]; turn it round with .T  [bend-shape]
train.step(model, loss, np.zeros((32, 64)), labels)  # E: Train.step: the model takes Mat[32, 64], "x" is float64[32, 64]; convert it with .astype(np.float32)  [bend-shape]
train.step(model, loss, x, np.zeros(32, np.float32))  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is float32[32]; convert it with .astype(np.int64)  [bend-shape]
train.step(model, loss, x, np.zeros(32, np.int8))  # E: Train.step: "loss" is Loss[Mat[32, 10], Ids[32]], "target" is int8[32]; convert it with .astype(np.int64)  [bend-shape]
train.step(loss, model, x, labels)  # E: Train.step: "loss" is Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[32, 64], Mat[32, 10], Any], expected Loss[_, _]  [arg-type] # E: Train.step: the model is Loss[Mat[32, 10], Ids[32]]; a loss is no layer  [arg-type]
train.step(model, loss, x)  # E: Missing positional argument "target" in call to "step" of "Train"  [call-arg]
train.step(model, loss, [[1.0]], labels)  # E: Train.step: the model takes Mat[32, 64], "x" is list[list[float]]  [bend-shape]
Train.new(model, SGD(0.1), Linear(32, 64, 10).zeros())  # E: Train.new: the model has parameters tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], "p" is Lin[64, 10]  [bend-shape]
Train.new(model, 0.1, model.zeros())  # E: Argument 2 to "new" of "Train" has incompatible type "float"; expected "SGD | Momentum | Adam | AdamW | PackedAdamW | Grouped"  [arg-type]
Train.new(model, SGD(0.1), model.zeros(), record="yes")  # E: Argument "record" to "new" of "Train" has incompatible type "str"; expected "bool"  [arg-type]


def of_rows(n: Dim[N]) -> Loss[Mat[N, 11], Ids[N]]:
    return CrossEntropy(n, 11)


def of_scores(n: Dim[N]) -> Loss[Mat[N, 10], Mat[N, 10]]:
    return MSE(n, 10)


data = batches(x, labels, 8)
fit(train, mlp, of_rows, data, 3)  # E: fit: the model gives Mat[int, 10], "loss" gives Loss[Mat[int, 11], Ids[int]]  [bend-shape]
fit(train, mlp, of_scores, data, 3)  # E: fit: "loss" gives Loss[Mat[int, 10], Mat[int, 10]], "data" is Batches[Mat[int, 64], Ids[int]]  [bend-shape]
fit(train, mlp, mlp, data, 3)  # E: fit: "loss" gives Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[N, 64], Mat[N, 10], Any], expected Loss[_, _]  [arg-type]
fit(train, model, of_rows, data, 3)  # E: fit: the model is Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[32, 64], Mat[32, 10], Any], expected Callable[[int], Layer[_, _, _, _]]; give a function that makes it for a number of rows, as in lambda n: model(n)  [arg-type]
fit(train, mlp, of_rows, (x, labels), 3)  # E: fit: "data" is tuple[Mat[32, 64], Ids[32]], expected Batches[_, _]; make them with batches(x, target, size)  [arg-type]
batches(x, ids(31, []), 8)  # E: batches: "x" is Mat[32, 64], "target" is Ids[31]  [bend-shape]
accuracy(scores, ids(31, []))  # E: accuracy: "logits" is Mat[32, 10], "labels" is Ids[31]  [bend-shape]
other: Train[Lin[64, 10]] = train  # E: the value is Train[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]], declared Train[Lin[64, 10]]  [assignment]
