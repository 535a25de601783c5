"""Training runs in files: what is written, what is refused. Exact resume is in `test_resume.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bendtorch import (
    SGD,
    VECTORS,
    Adam,
    AdamW,
    Average,
    ClipNorm,
    ClipValue,
    CrossEntropy,
    Dropout,
    Grouped,
    Key,
    Linear,
    PackedAdamW,
    ReLU,
    Train,
    batches,
    load_params,
    load_train,
    save_params,
    save_train,
)
from bendtorch.checkpoint.train import settings_text
from bendtorch.errors import CheckpointError, ConfigError
from tests.support.arrays import labels, numbers, same_bits
from tests.support.files import names

GROUPS: Any = Grouped(AdamW(0.01, weight_decay=0.1), {VECTORS: AdamW(0.01, weight_decay=0.0)})


def net(n: int) -> Any:
    layers: Any = Dropout
    return Linear(n, 6, 8) >> ReLU(n, 8) >> layers(n, 8, 0.3, 1) >> Linear(n, 8, 4) >> layers(n, 4, 0.1, 2)


def loss(n: int) -> Any:
    layer: Any = CrossEntropy
    return layer(n, 4)


def data() -> Any:
    return batches(numbers(0, 37, 6), labels(0, 37, 4), 8, Key(3))


def trained(optimizer: Any = AdamW(0.01), clip: Any = None) -> Any:  # noqa: B008  configurations do not change
    train = Train.new(net(8), optimizer, net(8).init(Key(0)), clip=clip)
    for part in list(data().epoch(0))[:3]:
        train.step(net(8), loss(8), part.x, part.target)
    return train


def test_the_average_is_saved_too(tmp_path: Path) -> None:
    train = trained()
    average = Average(net(8), train, 0.9)
    train.step(net(8), loss(8), numbers(1, 8, 6), labels(1, 8, 4))
    average.update(train)
    save_train(tmp_path / "run", net(8), train, average=average)
    other = Average(net(8), trained(), 0.9)
    load_train(tmp_path / "run", net(8), AdamW(0.01), average=other)
    assert same_bits(other.flat, average.flat)
    assert load_train(tmp_path / "run", net(8), AdamW(0.01)).t == 4


def test_a_run_is_also_a_file_of_parameters(tmp_path: Path) -> None:
    train = trained()
    save_train(tmp_path / "run", net(8), train)
    p = load_params(tmp_path / "run", net(8), unused=["optimizer.*"])
    assert same_bits(net(8).dump(p), net(8).dump(train.p))
    save_params(tmp_path / "p", net(8), p)
    with pytest.raises(CheckpointError, match="is no training run, but bendtorch-params-1"):
        load_train(tmp_path / "p", net(8), AdamW(0.01))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"optimizer": AdamW(0.02)}, r"was saved with optimizer AdamW\(lr=0.01, .*\), given AdamW\(lr=0.02, "),
        ({"optimizer": PackedAdamW(0.01)}, r"was saved with optimizer AdamW\(.*\), given PackedAdamW\("),
        ({"clip": ClipValue(1.0)}, r"was saved with clip ClipNorm\(most=1.0\), given ClipValue\(most=1.0\)"),
        ({"data": batches(numbers(0, 37, 6), labels(0, 37, 4), 9, Key(3))}, r"data 37 examples in batches of 8, key "),
        ({"model": Linear(8, 6, 4)}, r"tensor 'weight' is missing"),
    ],
)
def test_another_run_is_refused_with_the_first_difference(tmp_path: Path, given: Any, text: str) -> None:
    path = tmp_path / "run"
    save_train(path, net(8), trained(clip=ClipNorm(1.0)), data=data())
    call = {"model": net(8), "optimizer": AdamW(0.01), "clip": ClipNorm(1.0), "data": data(), **given}
    with pytest.raises(CheckpointError, match=text):
        load_train(path, call["model"], call["optimizer"], clip=call["clip"], data=call["data"])


def test_collected_micro_batches_are_not_saved(tmp_path: Path) -> None:
    train = trained()
    train.collect(net(8), loss(8), numbers(1, 8, 6), labels(1, 8, 4))
    with pytest.raises(ConfigError, match="micro-batches are collected but not applied"):
        save_train(tmp_path / "run", net(8), train)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [({"t": -1}, "says step -1"), ({"t": "two"}, "says no step, loss or norm"), ({"t": 1.5}, "says no step")],
)
def test_a_run_at_no_step_is_refused(tmp_path: Path, change: Any, text: str) -> None:
    train = trained(SGD(0.1))
    vars(train).update(change)
    save_train(tmp_path / "run", net(8), train)
    with pytest.raises(CheckpointError, match=text):
        load_train(tmp_path / "run", net(8), SGD(0.1))


def by_name(step: int) -> float:
    return 0.1 / step


def test_settings_in_words() -> None:
    assert settings_text(SGD(by_name)) == f"SGD(lr={__name__}.by_name, weight_decay=0.0)"
    assert settings_text(ClipNorm(1.0)) == "ClipNorm(most=1.0)"
    assert settings_text(None) == "None"
    text = settings_text(GROUPS.bind(net(1).leaves))
    assert text.startswith("Bound(optimizers=(AdamW(lr=0.01,")
    assert text.endswith("index=(0, 1, 0, 0, 1, 0))")


def test_the_corrections_are_written_for_other_programs(tmp_path: Path) -> None:
    from safetensors import safe_open

    save_train(tmp_path / "run", net(8), trained())
    with safe_open(tmp_path / "run", framework="numpy") as file:
        facts = file.metadata()
    assert float(facts["q1"]) == np.float32(1 - 0.9**3)
    assert float(facts["q2"]) == np.float32(1 - 0.999**3)
    assert facts["step"] == "3"


def test_every_truncation_and_every_changed_byte_is_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "run", Linear(1, 1, 1)
    save_train(path, model, Train.new(model, Adam(), model.init(Key(0))))
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(len(whole))]
    damaged += [bytes([*whole[:i], whole[i] ^ 0x11, *whole[i + 1 :]]) for i in range(len(whole))]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(CheckpointError):
            load_train(path, model, Adam())
    path.write_bytes(whole)
    assert load_train(path, model, Adam()).t == 0
