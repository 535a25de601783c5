"""The training loop: epochs over batches, with a progress bar on a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.train.batches import Batches
from bendtorch.train.progress import progress
from bendtorch.train.train import Train

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


@dataclass
class History:
    """The losses of a run: of every step, and each epoch's mean over its examples."""

    steps: list[float] = field(default_factory=list)
    epochs: list[float] = field(default_factory=list)


def fit(
    train: Train[P],
    model: Callable[[int], Layer[P, X, Y, S]],
    loss: Callable[[int], Loss[Y, Target]],
    data: Batches[X, Target],
    epochs: int,
    *,
    show_progress: bool | None = None,
) -> History:
    """Train for a number of epochs; gives the losses.

    `model` and `loss` are functions of the number of rows, because an epoch's last batch may be short:

        def mlp(n: Dim[N]) -> Layer[MlpParams, Mat[N, 64], Mat[N, 10], Any]: ...

    The layers they build share their parameters and are built once for each size. A progress bar (loss, examples per
    second, time left) shows on a terminal unless `show_progress` decides it.

    Raises `NonFiniteError`, naming epoch and step, on a loss that is NaN or infinite; the state is then that after the
    step before.
    """
    if epochs < 0:
        raise ConfigError(f"fit: epochs must be at least 0, got {epochs}")
    history = History()
    model_of = lru_cache(maxsize=None)(model)
    loss_of = lru_cache(maxsize=None)(lambda n: _stopping(loss(n), history))
    with progress(epochs * data.count, show_progress) as report:
        for epoch in range(epochs):
            total = 0.0
            for batch in data.epoch(epoch):
                value = train.step(model_of(batch.n), loss_of(batch.n), batch.x, batch.target)
                history.steps.append(value)
                total += value * batch.n
                report(batch.n, value)
            history.epochs.append(total / data.count)
    return history


def _stopping(loss: Loss[Y, Target], history: History) -> Loss[Y, Target]:
    """The loss, which stops the training where it is not finite: before a gradient is made of it, let alone applied."""

    def grad(y: Y, target: Target) -> LossOut[Y]:
        out = loss.grad(y, target)
        if not math.isfinite(out.loss):
            raise NonFiniteError(
                f"fit: the loss is {out.loss} in epoch {len(history.epochs) + 1}, at step {len(history.steps) + 1} "
                "(both counted from 1); look for NaN and infinity in the data, or lower the learning rate"
            )
        return out

    return replace(loss, grad=grad)
