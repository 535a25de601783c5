"""The training loop: epochs over batches, with callbacks, and a progress bar on a terminal."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn, TypeVar

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.optim.at import GroupedAt
from bendtorch.shapes.arguments import expect
from bendtorch.train.batches import Batch, Batches
from bendtorch.train.callbacks import Callback, History, Run
from bendtorch.train.progress import Report, progress
from bendtorch.train.rows import built_once
from bendtorch.train.train import Train
from bendtorch.train.watch import first_not_finite

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


def fit(
    train: Train[P],
    model: Callable[[int], Layer[P, X, Y, S]],
    loss: Callable[[int], Loss[Y, Target]],
    data: Batches[X, Target],
    epochs: int,
    *,
    callbacks: Sequence[Callback[P]] = (),
    accumulate: int = 1,
    start: int = 0,
    show_progress: bool | None = None,
) -> History:
    """Train for a number of epochs; gives the losses.

    `model` and `loss` are functions of the number of rows, because an epoch's last batch may be short:

        def mlp(n: Dim[N]) -> Layer[MlpParams, Mat[N, 64], Mat[N, 10], Any]: ...

    The layers they build share their parameters and are built once for each size. Every step takes `accumulate`
    batches, weighted by their examples (an epoch's last step may have fewer). A run that is resumed says with how many
    of its steps it has to `start`: it goes on with the batches that the first run would have seen. A progress bar
    (loss, examples per second, time left) shows on a terminal unless `show_progress` decides it.

    Raises `NonFiniteError` on a loss or gradient that is NaN or infinite, naming epoch, step and the layer where it
    first appeared; the state is then that after the step before.
    """
    for name, least, value in (("epochs", 0, epochs), ("accumulate", 1, accumulate), ("start", 0, start)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(f"fit: {name} must be at least {least}, got {value}")
    expect("fit", "train", train, Train, "a run, such as Train.new(model, optimizer, p)")
    expect("fit", "data", data, Batches, "what batches(x, target, 32, Key(0)) gives")
    expect("fit", "callbacks", callbacks, Sequence, "a list of callbacks")
    for callback in callbacks:
        expect("fit", "each of callbacks", callback, Callback, 'a Callback, such as JsonLines("log.jsonl")')
    loop = _Loop(train, model, loss, Run(train, History()), callbacks)
    per_epoch = math.ceil(len(data) / accumulate)
    skipped = data.size * accumulate
    first, done = divmod(start, per_epoch)
    todo = max((epochs - first) * data.count - done * skipped, 0)
    with progress(todo, show_progress) as report, _closing(callbacks):
        for epoch in range(first, epochs):
            parts = islice(data.epoch(epoch), done * accumulate, None)
            loop.epoch(epoch, _groups(parts, accumulate), report)
            done = 0
            if loop.run.stop is not None:
                break
    return loop.run.history


@contextlib.contextmanager
def _closing(callbacks: Sequence[Callback[Any]]) -> Iterator[None]:
    """Close the callbacks at the end, however it comes."""
    try:
        yield
    finally:
        for callback in callbacks:
            callback.close()


def _groups(parts: Iterator[Batch[X, Target]], size: int) -> Iterator[list[Batch[X, Target]]]:
    """The batches of each step."""
    while group := list(islice(parts, size)):
        yield group


class _Loop:
    """A run of `fit`."""

    def __init__(
        self,
        train: Train[Any],
        model: Callable[[int], Layer[Any, Any, Any, Any]],
        loss: Callable[[int], Loss[Any, Any]],
        run: Run[Any],
        callbacks: Sequence[Callback[Any]],
    ) -> None:
        self.train, self.run, self.callbacks = train, run, callbacks
        self.model_of, self.loss_of = built_once("fit", model, loss)

    def epoch(self, number: int, groups: Iterator[list[Batch[Any, Any]]], report: Report) -> None:
        """The steps of one epoch, and what is called after them."""
        run, total, examples = self.run, 0.0, 0
        run.epoch = number + 1
        for group in groups:
            value, n = self.step(group)
            run.history.steps.append(value)
            total, examples = total + value * n, examples + n
            run.examples += n
            report(n, value)
            for callback in self.callbacks:
                callback.after_step(run)
            if run.stop is not None:
                break
        run.history.epochs.append(total / examples)
        for callback in self.callbacks:
            callback.after_epoch(run)

    def step(self, group: list[Batch[Any, Any]]) -> tuple[float, int]:
        """One step on some batches: the mean loss over their examples, and how many there are."""
        train, run, total, n = self.train, self.run, 0.0, sum(batch.n for batch in group)
        for batch in group:
            model, loss = self.model_of(batch.n), self.loss_of(batch.n)
            value = train.collect(model, loss, batch.x, batch.target, 1.0 if len(group) == 1 else batch.n)
            if not math.isfinite(value):
                self.stopped(f"the loss is {value}", group)
            total += value * batch.n
        model = self.model_of(group[0].n)
        run.norm = train.gradient_norm(model)
        if not math.isfinite(run.norm):
            self.stopped(f"the norm of the gradient is {run.norm}", group)
        opt = train.optimizer.at(train.t + 1)
        run.lr = opt.opts[0].lr if isinstance(opt, GroupedAt) else opt.lr
        train.apply(model)
        run.loss = total / n if len(group) > 1 else value
        return run.loss, n

    def stopped(self, what: str, group: list[Batch[Any, Any]]) -> NoReturn:
        """Give the collected gradient up and say where the trouble began."""
        train, run = self.train, self.run
        train.forget(self.model_of(group[0].n))
        found = (
            first_not_finite(self.model_of(batch.n), self.loss_of(batch.n), train.p, batch.x, batch.target)
            for batch in group
        )
        where = next((place for place in found if place is not None), None)
        raise NonFiniteError(
            f"fit: {what} in epoch {run.epoch}, at step {train.t + 1} (both counted from 1); "
            + (f"it first appears in {where}; " if where else "")
            + "look for NaN and infinity in the data, or lower the learning rate"
        )
