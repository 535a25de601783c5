"""Raw float32 files, byte for byte; Adam's step told by its corrections; matrices from anywhere in a file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import SGD, VECTORS, Adam, AdamW, CrossEntropy, Grouped, Key, Linear, Momentum, PackedAdamW, ReLU, Train
from bendtorch.checkpoint import load_matrix, load_raw_params, load_raw_train, save_raw_params, save_raw_train
from bendtorch.checkpoint.raw import corrections, step_of
from bendtorch.errors import CheckpointError, ConfigError
from tests.support.arrays import labels, numbers, same_bits, special_numbers
from tests.support.params import OPTIMIZERS

MODEL: Any = Linear(4, 3, 5) >> ReLU(4, 5) >> Linear(4, 5, 2)
LOSS: Any = CrossEntropy(4, 2)
COUNT = MODEL.count()


def trained(optimizer: Any, model: Any = MODEL, steps: int = 3) -> Any:
    train = Train.new(model, optimizer, MODEL.init(Key(0)))
    for t in range(steps):
        train.step(model, LOSS, numbers(t, 4, 3), labels(t, 4, 2))
    return train


def test_parameters_are_the_dump(tmp_path: Path) -> None:
    p = MODEL.zeros()
    MODEL.load(p, special_numbers(0, 1, COUNT).reshape(-1), 0)
    save_raw_params(tmp_path / "p", MODEL, p)
    assert (tmp_path / "p").read_bytes() == MODEL.dump(p).astype("<f4").tobytes()
    assert same_bits(MODEL.dump(load_raw_params(tmp_path / "p", MODEL)), MODEL.dump(p))


def test_a_run_is_its_numbers_in_order(tmp_path: Path) -> None:
    train = trained(Adam(0.01))
    save_raw_train(tmp_path / "run", MODEL, train)
    cells = np.fromfile(tmp_path / "run", "<f4")
    q = np.array([1 - 0.9**3, 1 - 0.999**3], np.float32)
    expected = [MODEL.dump(train.p), MODEL.dump(train.st.m), MODEL.dump(train.st.v), q]
    assert same_bits(cells.astype(np.float32), np.concatenate(expected))
    save_raw_train(tmp_path / "run", MODEL, trained(SGD(0.1)))
    assert (tmp_path / "run").stat().st_size == 4 * COUNT
    save_raw_train(tmp_path / "run", MODEL, trained(Momentum(0.1)))
    assert (tmp_path / "run").stat().st_size == 8 * COUNT


@pytest.mark.parametrize("model", [MODEL, dataclasses.replace(MODEL, view=None)], ids=["flat", "tree"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_run_comes_back(tmp_path: Path, optimizer: Any, model: Any, steps: int) -> None:
    """Adam's step too, so that it goes on with the same bits."""
    train = trained(optimizer, model, steps)
    save_raw_train(tmp_path / "run", model, train)
    again = load_raw_train(tmp_path / "run", model, optimizer)
    assert same_bits(MODEL.dump(again.p), MODEL.dump(train.p))
    if isinstance(optimizer, Adam):
        assert again.t == steps
    again.t = train.t
    for run in (train, again):
        run.step(model, LOSS, numbers(9, 4, 3), labels(9, 4, 2))
    assert same_bits(MODEL.dump(again.p), MODEL.dump(train.p))


def test_files_of_another_size_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    save_raw_train(path, MODEL, trained(Momentum(0.1)))
    for optimizer in (SGD(0.1), Adam(), PackedAdamW()):
        with pytest.raises(CheckpointError, match=r"bytes, expected|moments' tree"):
            load_raw_train(path, MODEL, optimizer)
    with pytest.raises(CheckpointError, match=r"has 256 bytes, expected 128 \(32 numbers\)"):
        load_raw_params(path, MODEL)
    path.write_bytes(bytes(129))
    with pytest.raises(CheckpointError, match="has 129 bytes, expected"):
        load_raw_params(path, MODEL)


@pytest.mark.parametrize("packed", [PackedAdamW(), PackedAdamW(second=False)])
def test_every_truncation_of_packed_moments_is_refused(tmp_path: Path, packed: Any) -> None:
    path = tmp_path / "run"
    save_raw_train(path, MODEL, trained(packed))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(CheckpointError):
            load_raw_train(path, MODEL, packed)


def test_groups_have_no_place(tmp_path: Path) -> None:
    grouped = Grouped(AdamW(), {VECTORS: AdamW(weight_decay=0.0)})
    with pytest.raises(ConfigError, match="no place for groups; use save_train"):
        save_raw_train(tmp_path / "run", MODEL, trained(grouped))


@given(t=st.integers(0, 3000), beta1=st.sampled_from([0.0, 0.5, 0.9]), beta2=st.sampled_from([0.95, 0.999, 0.9999]))
def test_a_step_is_told_by_its_corrections(t: int, beta1: float, beta2: float) -> None:
    """Rounded to float32, or summed up in float32 step by step; while they still change."""
    optimizer = Adam(beta1=beta1, beta2=beta2)
    q1, q2 = (float(np.float32(q)) for q in corrections(optimizer, t))
    found = step_of(optimizer, q1, q2)
    assert found == t or beta2**t < 2.0**-23
    assert found <= t
    summed = np.float32(0), np.float32(0)
    for _ in range(min(t, 500)):
        one = summed[0] + np.float32(1 - beta1) * (np.float32(1) - summed[0])
        summed = one, summed[1] + np.float32(1 - beta2) * (np.float32(1) - summed[1])
    slow = step_of(optimizer, float(summed[0]), float(summed[1]))
    assert slow == min(t, 500) or beta2 ** min(t, 500) < 2.0**-16


@pytest.mark.parametrize("q", [(0.5, 0.5), (-0.1, 0.1), (0.1, 1.5), (float("nan"), 0.1), (0.1, 0.002)])
def test_corrections_of_no_step_are_refused(q: tuple[float, float]) -> None:
    with pytest.raises(CheckpointError, match=r"1 - beta\^t"):
        step_of(Adam(), *q)


@given(r=st.integers(0, 4), c=st.integers(0, 4), before=st.integers(0, 9))
def test_a_matrix_from_anywhere(tmp_path_factory: Any, r: int, c: int, before: int) -> None:
    path = tmp_path_factory.mktemp("m") / "m"
    x = numbers(1, r, c)
    path.write_bytes(bytes(before) + x.astype("<f4").tobytes() + b"tail")
    assert same_bits(load_matrix(path, r, c, before), x)
    with pytest.raises(CheckpointError, match="the file has"):
        load_matrix(path, r + 2, c + 2, before)
