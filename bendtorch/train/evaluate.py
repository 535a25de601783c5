"""The loss of a model that is used, not trained."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.train.batches import Batches

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
    model_of = lru_cache(maxsize=None)(lambda n: model(n).eval())
    loss_of = lru_cache(maxsize=None)(loss)
    total = 0.0
    for batch in data.epoch(0):
        total += loss_of(batch.n).value(model_of(batch.n).fwd(p, batch.x).y, batch.target) * batch.n
    return total / data.count
