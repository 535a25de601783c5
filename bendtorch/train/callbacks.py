"""What a training loop calls after each step and each epoch: logs, early stopping, whatever a user adds."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar

from bendtorch.errors import ConfigError
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.arguments import as_path, expect_function
from bendtorch.train.train import Train

P = TypeVar("P")

BLOCK: Final = 1 << 16  # bytes


@dataclass
class History:
    """The losses of a run: of every step, and each epoch's mean over its examples."""

    steps: list[float] = field(default_factory=list)
    epochs: list[float] = field(default_factory=list)


@dataclass
class Run(Generic[P]):
    """A run as a callback sees it: the state, and what happened last.

    `epoch` is counted from 1; `loss` is that of the last step, `lr` its learning rate, `norm` the norm of its gradient
    before clipping. Whoever gives `stop` a reason ends the run after the call.
    """

    train: Train[P]
    history: History
    epoch: int = 1
    examples: int = 0
    loss: float = math.nan
    lr: float = math.nan
    norm: float = math.nan
    stop: str | None = None


class Callback(Generic[P]):
    """Called by `fit`; a subclass overrides what it needs."""

    def after_step(self, run: Run[P]) -> None:
        """After each step of the optimizer."""

    def after_epoch(self, run: Run[P]) -> None:
        """After each epoch."""

    def after_run(self, run: Run[P]) -> None:
        """When the run has ended: its steps are done, `run.stop` was set, or Ctrl-C was pressed; not after an error."""

    def close(self) -> None:
        """When the run has ended, however it did."""


class JsonLines(Callback[P]):
    """A log with one JSON object a line: of each step, `step epoch loss lr norm`, of each epoch, `epoch mean_loss`.

    NaN is written as null. An existing file is continued: a resumed run goes on in the log of the first. Each line is
    in the file when the step ends; one that a crash cut short is removed. Steps after the last checkpoint of a run that
    crashed are there twice; the later line counts.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path("JsonLines", path)
        if self.path.is_dir():
            raise ConfigError(f"JsonLines: {path} is a directory; name a file in it, such as {self.path / 'log.jsonl'}")
        self.file: IO[str] | None = None

    def after_step(self, run: Run[P]) -> None:
        """Write the step's line."""
        self.write(step=run.train.t, epoch=run.epoch, loss=run.loss, lr=run.lr, norm=run.norm)

    def after_epoch(self, run: Run[P]) -> None:
        """Write the epoch's line."""
        self.write(epoch=run.epoch, mean_loss=run.history.epochs[-1])

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()
            self.file = None

    def write(self, **values: float) -> None:
        """Write a line of your own, such as `log.write(step=run.train.t, validation=0.31)`."""
        if self.file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _remove_last_part_of_line(self.path)
            self.file = self.path.open("a", encoding="utf-8", buffering=1)
        finite = {name: value if math.isfinite(value) else None for name, value in values.items()}
        self.file.write(json.dumps(finite) + "\n")


def _remove_last_part_of_line(path: Path) -> None:
    """Cut a file after its last whole line."""
    if not path.is_file():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(end - BLOCK, 0)
            file.seek(start)
            place = file.read(end - start).rfind(b"\n")
            if place >= 0:
                file.truncate(start + place + 1)
                return
            end = start
        file.truncate(0)


class EarlyStopping(Callback[P]):
    """Ends the run when `score`, lower is better, has not improved for `patience` epochs.

        EarlyStopping(model, lambda p: evaluate(mlp, loss, held_out, p))

    `best` are the parameters of the best epoch (copied), `scores` those of all epochs. A resumed run counts anew.
    """

    def __init__(
        self, model: Layer[P, Any, Any, Any], score: Callable[[P], float], patience: int = 3, least: float = 0.0
    ) -> None:
        if isinstance(patience, bool) or not isinstance(patience, int) or patience < 1:
            raise ConfigError(f"EarlyStopping: patience must be an int of at least 1, got {patience!r}")
        expect_layer("EarlyStopping", model)
        expect_function(
            "EarlyStopping", "score", score, "a function of the parameters, such as lambda p: evaluate(...)"
        )
        self.model, self.score, self.patience, self.least = model, score, patience, least
        self.scores: list[float] = []
        self.best: P = model.zeros()
        self.best_score = math.inf
        self.waited = 0

    def after_epoch(self, run: Run[P]) -> None:
        """Score the parameters; keep them where they are the best so far."""
        score = self.score(run.train.p)
        self.scores.append(score)
        if score < self.best_score - self.least:
            self.best_score, self.waited = score, 0
            self.model.load(self.best, self.model.dump(run.train.p), 0)
            return
        self.waited += 1
        if self.waited >= self.patience:
            run.stop = f"no improvement on {self.best_score:.6g} for {self.patience} epochs"
