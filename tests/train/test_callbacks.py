"""Callbacks: called after each step and epoch, closed at the end; the log, early stopping."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bendtorch import Adam, Callback, CosineLR, CrossEntropy, EarlyStopping, JsonLines, Key, Linear, Run, Train, fit
from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.train import batches
from tests.support.arrays import labels, numbers, same_bits

LIN: Any = Linear
CE: Any = CrossEntropy
FIT: Any = fit


def model(n: int) -> Any:
    return LIN(n, 3, 4)


def loss(n: int) -> Any:
    return CE(n, 4)


def start(lr: Any = 1e-2) -> Any:
    return Train.new(model(1), Adam(lr), model(1).init(Key(0)))


def data(count: int = 11) -> Any:
    return batches(numbers(0, count, 3), labels(0, count, 4), 4, Key(0))


class Record(Callback[Any]):
    """What was called."""

    def __init__(self, last: int = 99) -> None:
        self.last, self.seen = last, list[Any]()

    def after_step(self, run: Run[Any]) -> None:
        """Remember the step."""
        self.seen.append((run.epoch, run.train.t, run.examples, run.loss, run.lr, run.norm))
        if run.train.t == self.last:
            run.stop = "enough"

    def after_epoch(self, run: Run[Any]) -> None:
        """Remember the epoch."""
        self.seen.append(("epoch", run.epoch, run.history.epochs[-1]))

    def after_run(self, run: Run[Any]) -> None:
        """Remember the end."""
        self.seen.append("run")

    def close(self) -> None:
        """Remember the end."""
        self.seen.append("closed")


def test_they_see_every_step_and_epoch() -> None:
    record, schedule = Record(), CosineLR(0.1, 6)
    history = FIT(start(schedule), model, loss, data(), 2, callbacks=[record], show_progress=False)
    steps = [entry for entry in record.seen if len(entry) == 6 and not isinstance(entry, str)]
    assert [entry[:3] for entry in steps] == [(1, 1, 4), (1, 2, 8), (1, 3, 11), (2, 4, 15), (2, 5, 19), (2, 6, 22)]
    assert [entry[3] for entry in steps] == history.steps
    assert [entry[4] for entry in steps] == [schedule(t) for t in range(1, 7)]
    assert all(0 < entry[5] < math.inf for entry in steps)
    assert [entry for entry in record.seen if entry[0] == "epoch"] == [
        ("epoch", 1, history.epochs[0]),
        ("epoch", 2, history.epochs[1]),
    ]
    assert record.seen[-2:] == ["run", "closed"]


def test_one_of_them_can_end_the_run() -> None:
    record, train = Record(last=2), start()
    history = FIT(train, model, loss, data(), 5, callbacks=[record], show_progress=False)
    assert train.t == len(history.steps) == 2
    assert len(history.epochs) == 1
    assert record.seen[-2:] == ["run", "closed"]


def test_they_are_closed_when_the_run_fails() -> None:
    x = numbers(0, 8, 3)
    x[0, 0] = np.inf
    record = Record()
    with pytest.raises(NonFiniteError), np.errstate(all="ignore"):
        FIT(start(), model, loss, batches(x, labels(0, 8, 4), 8), 2, callbacks=[record])
    assert record.seen == ["closed"]


def test_the_log(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.jsonl"
    history = FIT(start(), model, loss, data(), 2, callbacks=[JsonLines(path)])
    FIT(start(), model, loss, data(), 1, callbacks=[JsonLines(path)])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2 * 4 + 4
    steps = [line for line in lines[:8] if "step" in line]
    assert [line["loss"] for line in steps] == history.steps
    assert [line["step"] for line in steps] == [1, 2, 3, 4, 5, 6]
    assert set(steps[0]) == {"step", "epoch", "loss", "lr", "norm"}
    assert [line["mean_loss"] for line in lines[:8] if "step" not in line] == history.epochs


def test_the_log_is_json_whatever_the_numbers(tmp_path: Path) -> None:
    log = JsonLines[Any](tmp_path / "log")
    run: Run[Any] = Run(start(), None)  # type: ignore[arg-type]
    log.after_step(run)
    log.close()
    assert json.loads((tmp_path / "log").read_text(encoding="utf-8"))["norm"] is None


def test_lines_are_there_when_the_step_ends_and_half_of_one_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"

    class Crash(Callback[Any]):
        def after_step(self, run: Run[Any]) -> None:
            """In the second step."""
            if run.train.t == 2:
                assert [json.loads(line)["step"] for line in path.read_text(encoding="utf-8").splitlines()] == [1, 2]
                raise RuntimeError

    with pytest.raises(RuntimeError):
        FIT(start(), model, loss, data(), 1, callbacks=[JsonLines(path), Crash()])
    for rest, kept in (("", 2), ('{"step": 3, "lo', 2), ("x" * 200_000, 2)):
        with path.open("a", encoding="utf-8") as file:
            file.write(rest)
        log = JsonLines[Any](path)
        log.write(step=3, validation=0.5)
        log.close()
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        assert [json.loads(line)["step"] for line in lines] == [1, 2, 3]
        assert json.loads(lines[-1]) == {"step": 3, "validation": 0.5}
        path.write_text("".join(lines[:kept]), encoding="utf-8")
    path.write_text("x" * 100_000, encoding="utf-8")
    log = JsonLines[Any](path)
    log.write(step=1)
    log.close()
    assert path.read_text(encoding="utf-8") == '{"step": 1}\n'


def test_a_log_that_was_never_written_is_closed(tmp_path: Path) -> None:
    FIT(start(), model, loss, data(), 0, callbacks=[JsonLines(tmp_path / "log")])
    assert not (tmp_path / "log").exists()


def test_early_stopping_keeps_the_best() -> None:
    scores = iter([3.0, 2.0, 2.5, 2.1, 1.0])
    seen: list[Any] = []

    def score(p: Any) -> float:
        seen.append(model(1).dump(p))
        return next(scores)

    stopping = EarlyStopping(model(1), score, patience=2)
    history = FIT(start(), model, loss, data(), 9, callbacks=[stopping])
    assert stopping.scores == [3.0, 2.0, 2.5, 2.1]
    assert len(history.epochs) == 4
    assert stopping.best_score == 2.0
    assert same_bits(model(1).dump(stopping.best), seen[1])
    assert not same_bits(seen[1], seen[3])


def test_a_score_of_nan_is_no_improvement() -> None:
    stopping = EarlyStopping(model(1), lambda p: math.nan, patience=2)
    assert len(FIT(start(), model, loss, data(), 9, callbacks=[stopping]).epochs) == 2


@pytest.mark.parametrize("patience", [0, -1, 1.5, True])
def test_impossible_patience_is_refused(patience: Any) -> None:
    with pytest.raises(ConfigError, match="EarlyStopping: patience must be an int of at least 1"):
        EarlyStopping(model(1), lambda p: 0.0, patience)
