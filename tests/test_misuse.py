"""Training that is interrupted or misused: the state stays whole, and wrong arguments are named."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np
import pytest

from bendtorch import (
    SGD,
    Adam,
    CrossEntropy,
    Key,
    Linear,
    LinearFirst,
    ReLU,
    Train,
    accuracy,
    batches,
    load_params,
    make_layer,
    save_params,
)
from bendtorch.errors import CheckpointError, ConfigError, DtypeError
from bendtorch.layer import no_params
from bendtorch.layer.protocol import Bwd, Fwd
from tests.support.arrays import labels, numbers, same_bits

MODEL: Any = LinearFirst(4, 5, 6) >> ReLU(4, 6) >> Linear(4, 6, 3)


def interrupting(when: list[bool]) -> Any:
    """The identity on 4 × 6, whose backward pass is interrupted while `when` says so."""

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        if when[0]:
            raise KeyboardInterrupt
        return Bwd(dy, g)

    return make_layer(no_params(), lambda p, x: Fwd(x, ()), bwd)


@pytest.mark.parametrize("as_tree", [False, True])
def test_an_interrupted_step_leaves_no_gradient(as_tree: bool) -> None:
    x, target = numbers(0, 4, 5), labels(1, 4, 3)
    when = [True]
    model: Any = LinearFirst(4, 5, 6) >> interrupting(when) >> Linear(4, 6, 3)
    if as_tree:
        model = dataclasses.replace(model, view=None)
    start = model.init(Key(0))
    train, untouched = Train.new(model, SGD(0.1), start), Train.new(model, SGD(0.1), start)
    with pytest.raises(KeyboardInterrupt):
        train.step(model, CrossEntropy(4, 3), x, target)
    assert not model.dump(train.g).any()
    assert train.t == 0
    when[0] = False
    for state in (train, untouched):
        state.step(model, CrossEntropy(4, 3), x, target)
    assert same_bits(model.dump(train.p), model.dump(untouched.p))


@pytest.mark.parametrize("optimizer", ["adam", Adam, None])
def test_what_is_no_optimizer_is_refused(optimizer: Any) -> None:
    with pytest.raises(ConfigError, match=r"^Train.new: optimizer must be one such as Adam\(lr=1e-3\), got "):
        Train.new(MODEL, optimizer, MODEL.init(Key(0)))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: MODEL.init(0), ConfigError, r"^init: expected a Key, such as Key\(0\), got 0$"),
        (lambda: Adam(lr="1e-3"), ConfigError, r"^Adam: lr must be a number, got str '1e-3'$"),  # type: ignore[arg-type]
        (lambda: batches([[1.0]], np.zeros(1, int), 1), DtypeError, r"^batches: x must be a numpy array, got list"),  # type: ignore[call-overload]
        (lambda: batches(numbers(0, 2, 2), [0, 1], 1), DtypeError, r"^batches: target must be a numpy array"),  # type: ignore[call-overload]
        (lambda: batches(numbers(0, 2, 2), labels(0, 2, 2), "2"), ConfigError, r"^batches: size must be an int"),  # type: ignore[call-overload]
        (lambda: batches(numbers(0, 2, 2), labels(0, 2, 2), 1, 5), ConfigError, r"^batches: key must be a Key"),  # type: ignore[call-overload]
        (lambda: MODEL >> ReLU, DtypeError, r"^>>: expected a layer, got ReLU; call it with its sizes$"),
        (lambda: MODEL >> None, DtypeError, r"^>>: expected a layer, got None$"),
        (lambda: accuracy(numbers(0, 3, 2), numbers(0, 3)), DtypeError, r"^accuracy: expected logits Mat\[n, c\]"),
    ],
)
def test_wrong_arguments_are_named(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_only_files_are_replaced(tmp_path: Any) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    p = MODEL.init(Key(0))
    for target in (fifo, tmp_path):
        with pytest.raises(CheckpointError, match="not a regular file"):
            save_params(target, MODEL, p)
        with pytest.raises(CheckpointError, match="not a regular file"):
            load_params(target, MODEL)
    assert fifo.is_fifo()
    with pytest.raises(FileNotFoundError, match=f"the directory {tmp_path / 'no'} does not exist; make it first"):
        save_params(tmp_path / "no" / "x.safetensors", MODEL, p)


def test_the_mode_of_a_file_is_kept(tmp_path: Any) -> None:
    path = tmp_path / "private.safetensors"
    save_params(path, MODEL, MODEL.init(Key(0)))
    path.chmod(0o600)
    save_params(path, MODEL, MODEL.init(Key(1)))
    assert path.stat().st_mode & 0o777 == 0o600
