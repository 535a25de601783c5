"""A run that is stopped, saved, loaded in a fresh state and continued has the bits of one that never stopped."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import (
    SGD,
    VECTORS,
    WSDLR,
    Adam,
    AdamW,
    Average,
    Batches,
    Callback,
    ClipNorm,
    ClipValue,
    CosineLR,
    CrossEntropy,
    Dropout,
    Grouped,
    Key,
    Linear,
    Momentum,
    PackedAdamW,
    ReLU,
    StepLR,
    Train,
    batches,
    fit,
    load_train,
    save_train,
)
from bendtorch.kernels.compile import JIT
from tests.support.arrays import labels, numbers, same_bits
from tests.support.files import names
from tests.support.transformer import VOCABULARY, next_token, transformer

EPOCHS: Final = 10
STEPS: Final = 50  # of five batches
LONG: Final = bool(os.environ.get("BENDTORCH_LONG"))
POINTS: Final = range(1, STEPS) if LONG else (1, 7, 25, 49)
COSINE: Final = CosineLR(0.01, STEPS, 5)

OPTIMIZERS: Final[dict[str, Any]] = {
    "SGD": SGD(StepLR(0.1, 10, 0.5), weight_decay=0.01),
    "Momentum": Momentum(0.05, nesterov=True),
    "Adam": Adam(WSDLR(0.01, STEPS, 5, 20)),
    "AdamW": AdamW(COSINE, weight_decay=0.1),
    "packed": PackedAdamW(COSINE),
    "packed first": PackedAdamW(COSINE, second=False),
    "groups": Grouped(AdamW(COSINE, weight_decay=0.1), {VECTORS: AdamW(COSINE, weight_decay=0.0)}),
    "packed groups": Grouped(PackedAdamW(COSINE, weight_decay=0.1), {VECTORS: PackedAdamW(COSINE, weight_decay=0.0)}),
}


@dataclass(frozen=True)
class Task:
    """Something to learn: a model and a loss of n rows, and data in five batches."""

    model: Callable[[int], Any]
    loss: Callable[[int], Any]
    data: Callable[[], Batches[Any, Any]]

    def start(self, optimizer: Any, clip: Any) -> Train[Any]:
        """A new run."""
        model = self.model(8)
        return Train.new(model, optimizer, model.init(Key(0)), clip=clip)

    def fit(self, train: Train[Any], start: int, callbacks: Any = (), accumulate: int = 1) -> list[float]:
        """The losses of the steps from `start` on."""
        arguments: Any = {"accumulate": accumulate, "callbacks": callbacks, "show_progress": False}
        return fit(train, self.model, self.loss, self.data(), EPOCHS, start=start, **arguments).steps

    def everything(self, train: Train[Any]) -> list[bytes]:
        """All bits of a run."""
        model = self.model(8)
        moments = [getattr(train.st, name) for name in ("m", "v") if hasattr(train.st, name)]
        dumped = [m if isinstance(m, np.ndarray) else model.dump(m) for m in moments]
        arrays = [model.dump(train.p), model.dump(train.g), *dumped]
        facts = np.array([train.t, train.loss, train.norm])
        return [array.tobytes() for array in (*arrays, facts)]


def small(n: int) -> Any:
    layers: Any = Dropout
    return Linear(n, 6, 8) >> ReLU(n, 8) >> layers(n, 8, 0.3, 1) >> Linear(n, 8, 4) >> layers(n, 4, 0.1, 2)


def small_loss(n: int) -> Any:
    layer: Any = CrossEntropy
    return layer(n, 4)


def examples() -> Any:
    """37 examples, shuffled: the last batch of an epoch is short."""
    return batches(numbers(0, 37, 6), labels(0, 37, 4), 8, Key(3))


def tokens() -> Any:
    """36 tokens, shuffled in batches of 8: two sequences each, and one in the last."""
    return batches(labels(0, 36, VOCABULARY), labels(1, 36, VOCABULARY), 8, Key(4))


TASKS: Final = {
    "small": Task(small, small_loss, examples),
    "small as a tree": Task(lambda n: dataclasses.replace(small(n), view=None), small_loss, examples),
    "transformer": Task(transformer, next_token, tokens),
}


class StopAt(Callback[Any]):
    """Ends a run after a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def after_step(self, run: Any) -> None:
        """Stop there."""
        run.stop = "here" if run.train.t == self.step else None


def points(task: str) -> Any:
    """Where to stop; without the JIT, attention takes seconds."""
    return POINTS if JIT or task != "transformer" else (7,)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_resumed_run_has_the_bits_of_one_that_never_stopped(tmp_path: Path, name: str, task: str) -> None:
    """L49."""
    work, optimizer, clip, path = TASKS[task], OPTIMIZERS[name], ClipNorm(0.5), tmp_path / "run"
    whole = work.start(optimizer, clip)
    expected = work.fit(whole, 0)
    for point in points(task):
        train = work.start(optimizer, clip)
        first = work.fit(train, 0, [StopAt(point)])
        save_train(path, work.model(8), train, data=work.data())
        again = load_train(path, work.model(1 if task != "transformer" else 4), optimizer, clip=clip, data=work.data())
        assert work.everything(again) == work.everything(train)
        second = work.fit(again, again.t)
        assert first + second == expected
        assert work.everything(again) == work.everything(whole)
    assert names(tmp_path) == ["run"]


class Averaging(Callback[Any]):
    """Keeps a moving average."""

    def __init__(self, average: Average[Any]) -> None:
        self.average = average

    def after_step(self, run: Any) -> None:
        """Take the weights in."""
        self.average.update(run.train)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("accumulate", [2, 3])
def test_micro_batches_and_the_average_go_on_too(tmp_path: Path, task: str, accumulate: int) -> None:
    work, optimizer, clip, path = TASKS[task], OPTIMIZERS["AdamW"], ClipValue(0.01), tmp_path / "run"
    model, stop = work.model(8), 10

    def averaged(train: Train[Any]) -> Average[Any]:
        return Average(model, train, 0.9)

    whole = work.start(optimizer, clip)
    whole_average = averaged(whole)
    expected = work.fit(whole, 0, [Averaging(whole_average)], accumulate)
    train = work.start(optimizer, clip)
    average = averaged(train)
    first = work.fit(train, 0, [Averaging(average), StopAt(stop)], accumulate)
    save_train(path, model, train, data=work.data(), average=average)
    again = work.start(optimizer, clip)
    again_average = averaged(again)
    again = load_train(path, model, optimizer, clip=clip, data=work.data(), average=again_average)
    second = work.fit(again, again.t, [Averaging(again_average)], accumulate)
    assert first + second == expected
    assert work.everything(again) == work.everything(whole)
    assert same_bits(again_average.flat, whole_average.flat)
