"""The training loop: epochs over batches, with callbacks, and a progress bar on a terminal."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn, TypeVar

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.optim.at import GroupedAt
from bendtorch.shapes.arguments import expect
from bendtorch.train.batches import Batch, Batches
from bendtorch.train.callbacks import Callback, History, Run
from bendtorch.train.interrupt import Interrupt, deferred
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
    epochs: int | None = None,
    *,
    steps: int | None = None,
    callbacks: Sequence[Callback[P]] = (),
    accumulate: int = 1,
    start: int = 0,
    show_progress: bool | None = None,
) -> History:
    """Train for a number of epochs, or of steps; gives the losses.

    `model` and `loss` are functions of the number of rows (of a text's windows), because the last batch may be short:

        def mlp(n: Dim[N]) -> Layer[MlpParams, Mat[N, 64], Mat[N, 10], Any]: ...

    The layers they build share their parameters and are built once for each size. Every step takes `accumulate`
    batches, weighted by their examples (an epoch's last step may have fewer). A run that is resumed says with how many
    of its steps it has to `start`: it goes on with the batches that the first run would have seen. `steps` count from
    the beginning of the first run. A progress bar (loss, examples or tokens per second, time left) shows on a terminal
    unless `show_progress` decides it.

    Ctrl-C ends the run when the step at hand is done: callbacks see the end (`Checkpoints` saves), then
    `KeyboardInterrupt` is raised. Pressed twice, it is raised at once.

    Raises `NonFiniteError` on a loss or gradient that is NaN or infinite, naming epoch, step and the layer where it
    first appeared; the state is then that after the step before.
    """
    _check(train, data, callbacks, epochs=(epochs, 0), steps=(steps, 0), accumulate=(accumulate, 1), start=(start, 0))
    end = steps if epochs is None else epochs * math.ceil(len(data) / accumulate)
    if end is None or (epochs is not None and steps is not None):
        raise ConfigError("fit: give either epochs or steps, as in fit(train, model, loss, data, steps=1000)")
    plan = _Plan(data, accumulate, start, end)
    with _closing(callbacks), deferred() as interrupt:
        loop = _Loop(train, model, loss, Run(train, History()), callbacks, interrupt)
        with progress(plan.examples, show_progress, data.unit, data.units) as report:
            loop.run_through(plan, report)
    if interrupt.pressed:
        raise KeyboardInterrupt
    return loop.run.history


def _check(train: object, data: object, callbacks: Sequence[object], **counts: tuple[int | None, int]) -> None:
    """Refuse what is none of fit's arguments; the numbers come with the least that they may be."""
    for name, (value, least) in counts.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise ConfigError(f"fit: {name} must be at least {least}, got {value}")
    expect("fit", "train", train, Train, "a run, such as Train.new(model, optimizer, p)")
    expect("fit", "data", data, Batches, "what batches(x, target, 32, Key(0)) gives")
    expect("fit", "callbacks", callbacks, Sequence, "a list of callbacks")
    for callback in callbacks:
        expect("fit", "each of callbacks", callback, Callback, 'a Callback, such as JsonLines("log.jsonl")')


@dataclass(frozen=True)
class _Plan:
    """Which batches a run takes: those of its steps `start` to `end`, each of `accumulate` batches."""

    data: Batches[Any, Any]
    accumulate: int
    start: int
    end: int

    @property
    def per_epoch(self) -> int:
        """The steps of an epoch."""
        return math.ceil(len(self.data) / self.accumulate)

    @property
    def examples(self) -> int:
        """How many examples they have."""
        return max(self._until(self.end) - self._until(self.start), 0)

    def _until(self, step: int) -> int:
        """The examples of the first steps."""
        epochs, rest = divmod(step, self.per_epoch)
        return epochs * self.data.count + rest * self.accumulate * self.data.size

    def epochs(self) -> Iterator[tuple[int, Iterator[list[Batch[Any, Any]]]]]:
        """The epochs by their numbers, and the batches of each step."""
        done = self.start
        while done < self.end:
            epoch, first = divmod(done, self.per_epoch)
            count = min(self.per_epoch - first, self.end - done)
            parts = islice(self.data.epoch(epoch), first * self.accumulate, None)
            yield epoch, islice(_groups(parts, self.accumulate), count)
            done += count


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
        interrupt: Interrupt,
    ) -> None:
        self.train, self.run, self.callbacks, self.interrupt = train, run, callbacks, interrupt
        self.model_of, self.loss_of = built_once("fit", model, loss)

    def run_through(self, plan: _Plan, report: Report) -> None:
        """All epochs, unless somebody stops the run, and what is called at its end."""
        for epoch, groups in plan.epochs():
            self.epoch(epoch, groups, report)
            if self.run.stop is not None or self.interrupt.pressed:
                break
        for callback in self.callbacks:
            callback.after_run(self.run)

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
            if self.interrupt.pressed:
                run.stop = "interrupted"
                return
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
