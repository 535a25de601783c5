"""The loss of a model that is used, not trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bendtorch.layer.arguments import expect_params
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.shapes.arguments import expect
from bendtorch.train.batches import Batches
from bendtorch.train.rows import built_once

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


def evaluate(
    model: Callable[[int], Layer[P, X, Y, S]],
    loss: Callable[[int], Loss[Y, Target]],
    data: Batches[X, Target],
    p: P,
) -> float:
    """The mean loss over all examples of `data`, in evaluation (`model(n).eval()`): without Dropout.

    `model` and `loss` are functions of the number of rows, as for `fit`.
    """
    model_of, loss_of = built_once("evaluate", model, loss, evaluating=True)
    expect("evaluate", "data", data, Batches, "what batches(x, target, 256) gives")
    expect_params("evaluate", model_of(min(data.size, data.count)), p)
    total = 0.0
    for batch in data.epoch(0):
        total += loss_of(batch.n).value(model_of(batch.n).fwd(p, batch.x).y, batch.target) * batch.n
    return total / data.count
