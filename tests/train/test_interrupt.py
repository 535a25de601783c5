"""Ctrl-C: the step at hand is finished, callbacks see the end, then KeyboardInterrupt; twice, it comes at once."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from bendtorch import Adam, Callback, Checkpoints, CrossEntropy, Key, Linear, Train, batches, fit, latest, load_train
from bendtorch.train.interrupt import deferred
from tests.support.arrays import all_same_bits, labels, numbers

FIT: Any = fit
LIN: Any = Linear
CE: Any = CrossEntropy
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise elsewhere")


def press() -> None:
    """Ctrl-C, handled before the next line."""
    signal.raise_signal(signal.SIGINT)


def test_the_first_is_remembered_the_second_comes_through() -> None:
    with deferred() as interrupt:
        press()
        assert interrupt.pressed
        with pytest.raises(KeyboardInterrupt):
            press()
    with pytest.raises(KeyboardInterrupt):
        press()


def test_the_handler_of_somebody_else_stays() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with deferred() as interrupt:
            press()
        assert not interrupt.pressed
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_is_left_alone() -> None:
    found: list[bool] = []

    def inside() -> None:
        with deferred() as interrupt:
            found.append(interrupt.pressed)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert found == [False]


def model(n: int) -> Any:
    return LIN(n, 3, 4)


def loss(n: int) -> Any:
    return CE(n, 4)


def data() -> Any:
    return batches(numbers(0, 11, 3), labels(0, 11, 4), 4, Key(0))  # three batches


def start() -> Any:
    return Train.new(model(1), Adam(1e-2), model(1).init(Key(0)))


class Press(Callback[Any]):
    """Presses Ctrl-C after a step, and sees what is called then."""

    def __init__(self, step: int) -> None:
        self.step, self.seen = step, list[Any]()

    def after_step(self, run: Any) -> None:
        """Press."""
        if run.train.t == self.step:
            press()

    def after_epoch(self, run: Any) -> None:
        """Remember."""
        self.seen.append(("epoch", run.train.t))

    def after_run(self, run: Any) -> None:
        """Remember."""
        self.seen.append((run.stop, run.train.t))

    def close(self) -> None:
        """Remember."""
        self.seen.append("closed")


@pytest.mark.parametrize(("step", "epochs"), [(1, []), (4, [3]), (5, [3])])
def test_a_run_ends_between_two_steps_and_goes_on_exactly(tmp_path: Path, step: int, epochs: list[int]) -> None:
    whole, train, pressing = start(), start(), Press(step)
    FIT(whole, model, loss, data(), 3)
    with pytest.raises(KeyboardInterrupt):
        FIT(train, model, loss, data(), 3, callbacks=[pressing, Checkpoints(tmp_path, model(4), every=100)])
    assert pressing.seen == [*(("epoch", t) for t in epochs), ("interrupted", step), "closed"]
    newest = latest(tmp_path)
    assert newest is not None
    again = load_train(newest, model(4), Adam(1e-2))
    assert again.t == step
    FIT(again, model, loss, data(), 3, start=again.t)
    assert all_same_bits(again.p, whole.p)


def test_twice_is_at_once() -> None:
    class Twice(Press):
        def after_step(self, run: Any) -> None:
            press()
            press()

    pressing = Twice(1)
    with pytest.raises(KeyboardInterrupt):
        FIT(start(), model, loss, data(), 3, callbacks=[pressing])
    assert pressing.seen == ["closed"]
