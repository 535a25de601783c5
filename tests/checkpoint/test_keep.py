"""Checkpoints during a run: the last few and the best stay, and the newest resumes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bendtorch import SGD, Average, Checkpoints, CrossEntropy, Key, Linear, Train, batches, fit, latest, load_train
from bendtorch.errors import ConfigError
from tests.support.arrays import labels, numbers, same_bits
from tests.support.files import names

MODEL: Any = Linear(4, 3, 2)
FIT: Any = fit


def run(callbacks: list[Any], epochs: int = 3, train: Any = None, start: int = 0) -> Any:
    train = Train.new(MODEL, SGD(0.1), MODEL.init(Key(0))) if train is None else train
    FIT(train, model, loss, data(), epochs, callbacks=callbacks, start=start, show_progress=False)
    return train


def model(n: int) -> Any:
    layer: Any = Linear
    return layer(n, 3, 2)


def loss(n: int) -> Any:
    layer: Any = CrossEntropy
    return layer(n, 2)


def data() -> Any:
    return batches(numbers(0, 10, 3), labels(0, 10, 2), 4, Key(1))


def test_the_last_few_stay(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    train = run([Checkpoints(folder, MODEL, every=2, last=2, data=data())])
    assert names(folder) == ["step-000008.safetensors", "step-000009.safetensors"]
    again = load_train(folder / "step-000008.safetensors", MODEL, SGD(0.1), data=data())
    assert again.t == 8
    assert same_bits(MODEL.dump(run([], train=again, start=8).p), MODEL.dump(train.p))


def test_the_end_is_saved_whatever_comes_between(tmp_path: Path) -> None:
    train = run([Checkpoints(tmp_path, MODEL, every=4, data=data())])
    assert names(tmp_path) == [f"step-00000{step}.safetensors" for step in (4, 8, 9)]
    newest = latest(tmp_path)
    assert newest == tmp_path / "step-000009.safetensors"
    again = load_train(newest, MODEL, SGD(0.1), data=data())
    assert same_bits(MODEL.dump(again.p), MODEL.dump(train.p))


def test_the_end_is_saved_once_and_nothing_where_nothing_was_done(tmp_path: Path) -> None:
    saved: list[int] = []

    class Counted(Checkpoints[Any]):
        def save(self, run: Any) -> None:
            """Count."""
            saved.append(run.train.t)
            super().save(run)

    train = run([Counted(tmp_path, MODEL, every=3)])
    run([Counted(tmp_path, MODEL)], train=train, start=9)
    assert saved == [3, 6, 9]


def test_after_each_epoch_and_the_best(tmp_path: Path) -> None:
    scores = iter([2.0, 1.0, 3.0])
    seen: list[Any] = []

    def score(p: Any) -> float:
        seen.append(MODEL.dump(p))
        return next(scores)

    run([Checkpoints(tmp_path, MODEL, last=1, score=score)])
    assert names(tmp_path) == ["best.safetensors", "step-000009.safetensors"]
    best = load_train(tmp_path / "best.safetensors", MODEL, SGD(0.1))
    assert best.t == 6
    assert same_bits(MODEL.dump(best.p), seen[1])


def test_steps_are_ordered_as_numbers_and_other_files_left_alone(tmp_path: Path) -> None:
    for name in ("step-999999.safetensors", "step-1000000.safetensors", "step-x.safetensors", "notes.txt"):
        (tmp_path / name).touch()
    assert latest(tmp_path) == tmp_path / "step-1000000.safetensors"
    assert latest(tmp_path / "nowhere") is None
    run([Checkpoints(tmp_path, MODEL, last=2)], epochs=1)
    kept = ["notes.txt", "step-1000000.safetensors", "step-999999.safetensors", "step-x.safetensors"]
    assert names(tmp_path) == kept


def test_a_resumed_run_keeps_the_best_until_it_is_better(tmp_path: Path) -> None:
    best = tmp_path / "best.safetensors"
    run([Checkpoints(tmp_path, MODEL, score=lambda p: 1.5)], epochs=1)
    before = best.read_bytes()
    again = Checkpoints(tmp_path, MODEL, score=lambda p: 2.0)
    assert again.best_score == 1.5
    run([again], epochs=1)
    assert best.read_bytes() == before
    run([Checkpoints(tmp_path, MODEL, score=lambda p: 1.0)], epochs=2)
    assert load_train(best, MODEL, SGD(0.1)).t == 3
    assert Checkpoints(tmp_path, MODEL, score=lambda p: 2.0).best_score == 1.0


def test_the_average_is_kept_too(tmp_path: Path) -> None:
    train = Train.new(MODEL, SGD(0.1), MODEL.init(Key(0)))
    average, other = Average(MODEL, train), Average(MODEL, train)
    average.flat[:] = 7
    run([Checkpoints(tmp_path, MODEL, average=average)], epochs=1, train=train)
    newest = latest(tmp_path)
    assert newest is not None
    load_train(newest, MODEL, SGD(0.1), average=other)
    assert (other.flat == 7).all()


@pytest.mark.parametrize("settings", [{"every": 0}, {"last": 0}, {"every": 1.5}, {"last": True}])
def test_impossible_settings_are_refused(tmp_path: Path, settings: Any) -> None:
    with pytest.raises(ConfigError, match="must be an int of at least 1"):
        Checkpoints(tmp_path, MODEL, **settings)
