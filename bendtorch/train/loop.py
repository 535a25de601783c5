"""The training loop: epochs over batches, with a progress bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from bendtorch.errors import ConfigError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
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
    """
    if epochs < 0:
        raise ConfigError(f"fit: epochs must be at least 0, got {epochs}")
    model_of, loss_of = lru_cache(maxsize=None)(model), lru_cache(maxsize=None)(loss)
    history = History()
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
