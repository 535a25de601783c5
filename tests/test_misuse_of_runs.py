"""Arguments of training runs and files that are swapped, of another model, or of another kind: each is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import bendtorch
import bendtorch.checkpoint
from bendtorch.errors import CheckpointError, ConfigError
from tests.support.files import names

b: Final[Any] = bendtorch  # what mypy refuses as well
files: Final[Any] = bendtorch.checkpoint


def net(n: int) -> Any:
    return b.Linear(n, 3, 2) >> b.ReLU(n, 2) >> b.Linear(n, 2, 2)


def loss(n: int) -> Any:
    return b.CrossEntropy(n, 2)


def examples(size: int = 4) -> Any:
    return b.batches(np.zeros((10, 3), np.float32), np.zeros(10, np.int64), size, b.Key(0))


ADAM: Final[Any] = b.Adam()
MODEL: Final[Any] = net(4)
P: Final[Any] = MODEL.init(b.Key(0))
OTHER: Final[Any] = b.Linear(4, 3, 2)
OTHER_P: Final[Any] = OTHER.init(b.Key(0))
DATA: Final[Any] = examples()


def run() -> Any:
    return b.Train.new(MODEL, ADAM, P)


def collected() -> Any:
    train = run()
    train.collect(MODEL, loss(4), np.zeros((4, 3), np.float32), np.zeros(4, np.int64))
    return train


NO_PATH: Final = "path must be the name of a file"
NO_LAYER: Final = "model must be a layer, got "
NO_RUN: Final = r"train must be a run, such as Train.new\(model, optimizer, p\), got "
NOT_ITS_P: Final = r"p must be parameters of .*; give what model.init\(Key\(0\)\), .* of the same model is "
BY_ROWS: Final = "must be a function of the number of rows"

CALLS: Final[dict[str, tuple[Any, str]]] = {
    "save_params: path last": (lambda d: b.save_params(MODEL, d / "x", P), NO_PATH),
    "save_params: model last": (lambda d: b.save_params(d / "x", P, MODEL), NO_LAYER + "a tuple of 2"),
    "save_params: no path": (lambda d: b.save_params(None, MODEL, P), NO_PATH),
    "save_params: a function": (lambda d: b.save_params(d / "x", net, P), NO_LAYER + "the function net; call it"),
    "save_params: a run": (lambda d: b.save_params(d / "x", MODEL, run()), NOT_ITS_P),
    "save_params: the model": (lambda d: b.save_params(d / "x", MODEL, MODEL), NOT_ITS_P),
    "save_params: another p": (lambda d: b.save_params(d / "x", MODEL, OTHER_P), NOT_ITS_P),
    "save_params: another model": (lambda d: b.save_params(d / "x", OTHER, P), NOT_ITS_P),
    "load_params: swapped": (lambda d: b.load_params(MODEL, d / "p"), NO_LAYER),
    "load_params: p": (lambda d: b.load_params(d / "p", P), NO_LAYER),
    "load_params: a str": (
        lambda d: b.load_params(d / "p", MODEL, missing="head.*"),
        r"missing must be a list of patterns, such as \['head.\*'\], got a str",
    ),
    "load_params: another p": (lambda d: b.load_params(d / "p", MODEL, p=OTHER_P), NOT_ITS_P),
    "save_train: p": (lambda d: b.save_train(d / "x", MODEL, P), NO_RUN + "a tuple of 2"),
    "save_train: swapped": (lambda d: b.save_train(d / "x", run(), MODEL), NO_LAYER + "a Train"),
    "save_train: another model": (lambda d: b.save_train(d / "x", OTHER, run()), NOT_ITS_P),
    "save_train: data": (lambda d: b.save_train(d / "x", MODEL, run(), data=(1, 2)), "data must be what batches"),
    "save_train: average": (lambda d: b.save_train(d / "x", MODEL, run(), average=P), "average must be an Average"),
    "load_train: swapped": (lambda d: b.load_train(d / "t", ADAM, MODEL), NO_LAYER),
    "load_train: no path": (lambda d: b.load_train(b.latest(d / "nowhere"), MODEL, ADAM), NO_PATH),
    "load_train: no optimizer": (lambda d: b.load_train(d / "t", MODEL, b.Adam), "optimizer must be one such as Adam"),
    "load_train: another's average": (
        lambda d: b.load_train(d / "t", MODEL, ADAM, average=b.Average(OTHER, b.Train.new(OTHER, ADAM, OTHER_P))),
        r"average is of 8 numbers, Seq\(.*\) has 14; is it another model's\?",
    ),
    "Train.new: swapped": (lambda d: b.Train.new(MODEL, P, ADAM), "optimizer must be one such as Adam"),
    "Train.new: a function": (lambda d: b.Train.new(net, ADAM, P), NO_LAYER + "the function net; call it"),
    "Train.new: the model": (lambda d: b.Train.new(MODEL, ADAM, MODEL), NOT_ITS_P),
    "Train.new: clip": (lambda d: b.Train.new(MODEL, ADAM, P, clip=1.0), r"clip must be None, ClipNorm\(1.0\) or"),
    "Grouped: swapped": (lambda d: b.Grouped({"*.bias": ADAM}, ADAM), "default must be an optimizer"),
    "Grouped: a list": (lambda d: b.Grouped(ADAM, [("*.bias", ADAM)]), "groups must be a dict from a pattern"),
    "Grouped: a number": (lambda d: b.Grouped(b.SGD(0.1), {"*": 0.0}), "the value of a group must be an optimizer"),
    "AdamW: a class": (lambda d: b.AdamW(b.CosineLR), "lr must be a number or a schedule, got the class CosineLR"),
    "Average: p": (lambda d: b.Average(MODEL, P), NO_RUN),
    "Average: swapped": (lambda d: b.Average(run(), MODEL), NO_LAYER),
    "EarlyStopping: a number": (lambda d: b.EarlyStopping(MODEL, 3), "score must be a function of the parameters"),
    "EarlyStopping: a function": (lambda d: b.EarlyStopping(net, len), NO_LAYER + "the function net"),
    "JsonLines: a folder": (b.JsonLines, r"is a directory; name a file in it, such as .*log\.jsonl"),
    "fit: p": (lambda d: b.fit(P, net, loss, DATA, 1), NO_RUN),
    "fit: a model": (lambda d: b.fit(run(), MODEL, loss, DATA, 1), "model " + BY_ROWS),
    "fit: an array": (
        lambda d: b.fit(run(), net, loss, np.zeros(3), 1),
        "data must be what batches.* gives, got an array",
    ),
    "fit: one callback": (
        lambda d: b.fit(run(), net, loss, DATA, 1, callbacks=b.JsonLines("x")),
        "a list of callbacks",
    ),
    "fit: a class": (
        lambda d: b.fit(run(), net, loss, DATA, 1, callbacks=[b.JsonLines]),
        "each of callbacks must be a Callback, .*, got the class JsonLines; call it",
    ),
    "evaluate: a model": (lambda d: b.evaluate(MODEL, loss, DATA, P), "model " + BY_ROWS),
    "evaluate: a run": (lambda d: b.evaluate(net, loss, DATA, run()), NOT_ITS_P),
    "evaluate: swapped": (lambda d: b.evaluate(net, loss, P, DATA), "data must be what batches"),
    "Checkpoints: swapped": (lambda d: b.Checkpoints(MODEL, d), NO_LAYER),
    "Checkpoints: no folder": (lambda d: b.Checkpoints(3, MODEL), "folder must be the name of a folder"),
    "Checkpoints: a file": (lambda d: b.Checkpoints(d / "p", MODEL), "p is a file; name a folder"),
    "Checkpoints: a number": (lambda d: b.Checkpoints(d, MODEL, score=1.0), "score must be a function"),
    "latest: a file": (lambda d: b.latest(d / "p"), "p is a file; name a folder"),
    "raw: swapped": (lambda d: files.load_raw_params(MODEL, d / "p"), NO_LAYER),
    "raw: the model": (lambda d: files.save_raw_params(d / "x", MODEL, MODEL), NOT_ITS_P),
    "raw: p": (lambda d: files.save_raw_train(d / "x", MODEL, P), NO_RUN),
    "raw: collected": (lambda d: files.save_raw_train(d / "x", MODEL, collected()), "micro-batches are collected"),
    "raw: another model": (lambda d: files.save_raw_train(d / "x", OTHER, run()), NOT_ITS_P),
    "raw: groups": (
        lambda d: files.load_raw_train(d / "p", MODEL, b.Grouped(ADAM)),
        r"optimizer must be one without groups, such as Adam\(\)",
    ),
    "load_matrix: a float": (lambda d: files.load_matrix(d / "p", 2.0, 2), "r must be an int, got 2.0"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a file of parameters and one of a run."""
    b.save_params(tmp_path / "p", MODEL, P)
    b.save_train(tmp_path / "t", MODEL, run(), data=DATA)
    return tmp_path


@pytest.mark.parametrize("call", CALLS)
def test_wrong_arguments_are_named(folder: Path, call: str) -> None:
    function, text = CALLS[call]
    with pytest.raises(ConfigError, match=text):
        function(folder)
    assert names(folder) == ["p", "t"]


FILES: Final[dict[str, tuple[Any, str]]] = {
    "a run as parameters": (lambda d: b.load_params(d / "t", MODEL), "is a training run; load_train loads it whole"),
    "parameters as a run": (lambda d: b.load_train(d / "p", MODEL, ADAM), "is no training run, .*; load_params reads"),
    "a folder": (lambda d: b.load_train(d, MODEL, ADAM), r"a directory, not a regular file; latest\(folder\) is its"),
    "a folder of parameters": (lambda d: b.load_params(d, MODEL), "a directory, not a regular file"),
    "a folder of raw numbers": (lambda d: files.load_raw_params(d, MODEL), "a directory, not a regular file"),
    "a folder of a matrix": (lambda d: files.load_matrix(d, 1, 1), "a directory, not a regular file"),
    "a folder to save in": (lambda d: b.save_params(d, MODEL, P), "not a regular file, so it is not replaced; name a"),
    "another optimizer": (
        lambda d: b.load_train(d / "t", MODEL, b.SGD(0.1)),
        r"was saved with optimizer Adam\(.*\), given SGD\(.*\); give the same .*, or start another from its weights: ",
    ),
    "other batches": (
        lambda d: b.load_train(d / "t", MODEL, ADAM, data=examples(5)),
        "was saved with data 10 examples in batches of 4, .*, given 10 examples in batches of 5",
    ),
    "an average that is not there": (
        lambda d: b.load_train(d / "t", MODEL, ADAM, average=b.Average(MODEL, run())),
        "was saved without an average; load it without, and start one with Average",
    ),
}


@pytest.mark.parametrize("call", FILES)
def test_wrong_files_are_named(folder: Path, call: str) -> None:
    function, text = FILES[call]
    with pytest.raises(CheckpointError, match=text):
        function(folder)
    assert names(folder) == ["p", "t"]
