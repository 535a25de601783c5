"""Checkpoints during a run: the last few, and the best."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from bendtorch.checkpoint.format import reading
from bendtorch.checkpoint.params import usual_header
from bendtorch.checkpoint.train import NOTE, save_train
from bendtorch.errors import ConfigError
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.arguments import as_folder, expect_function
from bendtorch.train.average import Average
from bendtorch.train.batches import Batches
from bendtorch.train.callbacks import Callback, Run

P = TypeVar("P")

NAME: Final = re.compile(r"step-(\d+)\.safetensors")
BEST: Final = "best.safetensors"
SCORE: Final = "score"


class Checkpoints(Callback[P]):
    """Saves the run into `folder` as `step-000123.safetensors` and keeps the `last` few of them.

        fit(..., callbacks=[Checkpoints("runs/a", model, every=100, data=data)])
        newest = latest("runs/a")

    Saved after every `every` steps, or after each epoch where that is None, and when the run ends, by Ctrl-C too. With
    a `score`, lower is better, the best so far is also kept as `best.safetensors`, scored whenever the run is saved; a
    resumed run keeps it until it is better. `data` and `average` are saved as `save_train` does.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        model: Layer[P, Any, Any, Any],
        *,
        every: int | None = None,
        last: int = 3,
        score: Callable[[P], float] | None = None,
        data: Batches[Any, Any] | None = None,
        average: Average[P] | None = None,
    ) -> None:
        for name, value in (("every", every), ("last", last)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ConfigError(f"Checkpoints: {name} must be an int of at least 1, got {value!r}")
        expect_layer("Checkpoints", model)
        if score is not None:
            expect_function("Checkpoints", "score", score, "a function of the parameters, such as lambda p: ...")
        self.folder, self.model, self.every, self.last = as_folder("Checkpoints", folder), model, every, last
        self.score, self.data, self.average = score, data, average
        self._saved: int | None = None  # the step that was saved last
        self.best_score = math.inf if score is None else _best_score(self.folder / BEST, model)

    def after_step(self, run: Run[P]) -> None:
        """Save where it is time."""
        if self.every is not None and run.train.t % self.every == 0:
            self.save(run)

    def after_epoch(self, run: Run[P]) -> None:
        """Save where it is time."""
        if self.every is None:
            self.save(run)

    def after_run(self, run: Run[P]) -> None:
        """Save what came after the last time."""
        if run.history.steps and self._saved != run.train.t:
            self.save(run)

    def save(self, run: Run[P]) -> None:
        """Save now; remove what is older than the last few."""
        self._saved = run.train.t
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write(f"step-{run.train.t:06d}.safetensors", run)
        for old in _kept(self.folder)[: -self.last]:
            old.unlink(missing_ok=True)
        if self.score is not None and (score := self.score(run.train.p)) < self.best_score:
            self.best_score = score
            self._write(BEST, run, {SCORE: float(score).hex()})

    def _write(self, name: str, run: Run[P], notes: dict[str, str] | None = None) -> None:
        place = self.folder / name
        save_train(place, self.model, run.train, data=self.data, average=self.average, notes=notes)


def latest(folder: str | os.PathLike[str]) -> Path | None:
    """The newest checkpoint in a folder; None where there is none."""
    found = _kept(as_folder("latest", folder, made=False))
    return found[-1] if found else None


def _best_score(path: Path, model: Layer[Any, Any, Any, Any]) -> float:
    """What the best checkpoint of an earlier run scored; infinity where there is none."""
    if not path.exists():
        return math.inf
    with reading(path, usual_header(model)) as file:
        return float.fromhex(file.metadata.get(NOTE + SCORE, "inf"))


def _kept(folder: Path) -> list[Path]:
    """The checkpoints of steps, oldest first."""
    numbered = [
        (int(match[1]), path) for path in folder.glob("step-*.safetensors") if (match := NAME.fullmatch(path.name))
    ]
    return [path for _, path in sorted(numbered)]
