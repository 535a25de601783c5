"""Losses, training steps, and models for any number of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import numpy as np
from typing_extensions import assert_type

from bendtorch import (
    MSE,
    Adam,
    CrossEntropy,
    Dim,
    History,
    Ids,
    Key,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    Loss,
    LossOut,
    Mat,
    Profile,
    ReLU,
    Train,
    Unit,
    accuracy,
    batches,
    fit,
    ids,
    mat,
    profile,
    watch,
)
from bendtorch.shapes.dims import N
from bendtorch.train.batches import Batches

P = TypeVar("P")
S = TypeVar("S")


def mlp(n: Dim[N]) -> Layer[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]], Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


model, loss = mlp(32), CrossEntropy(32, 10)
assert_type(loss, Loss[Mat[32, 10], Ids[32]])
train = Train.new(model, Adam(1e-3), model.init(Key(0)))
assert_type(train, Train[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]])
assert_type(
    Train.new(model, Adam(1e-3), model.init(Key(0)), record=True), Train[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]]
)
x, labels = mat(32, 64, []), ids(32, [])
assert_type(train.step(model, loss, x, labels), float)
train.step(mlp(29), CrossEntropy(29, 10), mat(29, 64, []), ids(29, []))
train.step(model=model, loss=MSE(32, 10), x=x, target=mat(32, 10, []))

# a watched model stands in for the model
watched = watch(model)
assert_type(profile(train, model, loss, x, labels, steps=3), Profile)
assert_type(watched.layer.fwd(train.p, x).y, Mat[32, 10])
train.step(watched.layer, watched.loss(loss), x, labels)

# int32, int64 and the platform's index type are ids
train.step(model, loss, x, np.zeros(32, np.int32))
train.step(model, loss, x, np.zeros(32, np.int64))
train.step(model, loss, x, np.zeros(32, np.intp))
narrow: Ids[32] = np.zeros(32, np.int32)
wide: Ids[32] = np.zeros(32, np.int64)

out = model.fwd(train.p, x)
assert_type(out.y, Mat[32, 10])
assert_type(loss(out.y, labels), LossOut[Mat[32, 10]])
assert_type(loss.grad(out.y, labels).dy, Mat[32, 10])
assert_type(loss.value(out.y, labels), float)
back = model.bwd(train.p, out.s, loss(out.y, labels).dy, model.zeros())
assert_type(back.dx, Mat[32, 64])


assert_type(batches(x, labels, 8), Batches[Mat[int, 64], Ids[int]])


def of_rows(n: Dim[N]) -> Loss[Mat[N, 10], Ids[N]]:
    return CrossEntropy(n, 10)


history = fit(train, mlp, of_rows, batches(mat(99, 64, []), ids(99, []), 32), 3, show_progress=False)
assert_type(history, History)
assert_type(accuracy(out.y, labels), float)


def predict(model: Callable[[int], Layer[P, Mat[int, Literal[64]], Mat[int, Literal[10]], S]], p: P) -> float:
    """An API that says int means any number of rows."""
    for rows in (1, 2, 3):
        any_rows = model(rows)
        any_rows.fwd(p, np.zeros((rows, 64), np.float32))
    return 0.0


predict(mlp, train.p)


def evaluate(n: Dim[N], x: Mat[N, 64], labels: Ids[N]) -> float:
    return CrossEntropy(n, 10).value(mlp(n).fwd(train.p, x).y, labels)


evaluate(32, x, labels)
