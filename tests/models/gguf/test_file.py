"""`load_gguf`: whole files, as llama.cpp's own package writes them, and what is refused."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from bendtorch.errors import BendError, CheckpointError, ConfigError
from bendtorch.generate import Decoder, weights_of
from bendtorch.laws.nest import arrays_in
from bendtorch.models.gguf import load_gguf
from tests.support.arrays import numbers, same_bits
from tests.support.decoding import TIED, configs
from tests.support.gguf_files import fields_of, tensors_of, write_gguf
from tests.support.sizes import seeds
from tests.support.vocabulary import tokens

SAME_DIRECTORY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)


def written(folder: Path, config: Any = TIED, seed: int = 0, **options: Any) -> Path:
    flat = numbers(seed, config.count())
    return write_gguf(folder / "model.gguf", fields_of(config), tensors_of(config, flat), **options)


@SAME_DIRECTORY
@given(config=configs, seed=seeds)
def test_every_number_comes_back(tmp_path: Path, config: Any, seed: int) -> None:
    found = load_gguf(written(tmp_path, config, seed))
    assert found.config == dataclasses.replace(config, positions=2048)
    assert same_bits(found.config.model(1, 1).dump(found.p), numbers(seed, config.count()))
    assert found.tokens is None


def test_nothing_is_copied_to_decode_it(tmp_path: Path) -> None:
    found = load_gguf(written(tmp_path))
    model: Any = found.config.model(1, 3)
    flat, y = weights_of(model, found.p), model.fwd(found.p, np.array([3, 1, 2])).y
    assert all(np.shares_memory(flat, array) for array in arrays_in(found.p))
    assert np.abs(Decoder(found.config, flat).read([3, 1, 2]) - y[2]).max() <= 1e-4 * np.abs(y[2]).max()


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_weights_in_sixteen_bits(tmp_path: Path, kind: str) -> None:
    flat = numbers(0, TIED.count())
    tensors = tensors_of(TIED, flat)
    kinds = {name: kind for name, array in tensors.items() if array.ndim == 2}
    found = load_gguf(write_gguf(tmp_path / "half.gguf", fields_of(TIED), tensors, kinds=kinds))
    read = found.config.model(1, 1).dump(found.p)
    assert 0 < np.abs(read - flat).max() <= 2.0 ** (-11 if kind == "F16" else -8) * np.abs(flat).max()
    again = load_gguf(write_gguf(tmp_path / "wide.gguf", fields_of(TIED), tensors_of(TIED, read)))
    assert same_bits(again.config.model(1, 1).dump(again.p), read)


def test_tokens(tmp_path: Path) -> None:
    listed = tokens()
    assert load_gguf(written(tmp_path, tokens=listed)).tokens == listed
    bare = dataclasses.replace(listed, chat_template=None)
    assert load_gguf(written(tmp_path, tokens=bare)).tokens == bare


def test_files_that_are_not_there_or_no_files(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"missing\.gguf: No such file"):
        load_gguf(tmp_path / "missing.gguf")
    for data in (b"", b"GGUF", b"GGUF\3\0\0\0", b"no such file at all" * 9):
        (tmp_path / "other.gguf").write_bytes(data)
        with pytest.raises(CheckpointError, match=r"other\.gguf: is no GGUF file that can be read"):
            load_gguf(tmp_path / "other.gguf")
    with pytest.raises(ConfigError, match="load_gguf: path must be the name of a file"):
        load_gguf(3)  # type: ignore[arg-type]


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path, tokens=tokens()).read_bytes()
    for size in range(0, len(data) - 32, len(data) // 40):
        (tmp_path / "cut.gguf").write_bytes(data[:size])
        with pytest.raises(BendError, match=r"cut\.gguf: "):
            load_gguf(tmp_path / "cut.gguf")


def test_what_is_refused_is_said_of_the_file(tmp_path: Path) -> None:
    flat = numbers(0, TIED.count())
    fields, tensors = fields_of(TIED), tensors_of(TIED, flat)
    scaled = write_gguf(tmp_path / "a.gguf", {**fields, "llama.rope.scaling.type": "linear"}, tensors)
    with pytest.raises(ConfigError, match=r"a\.gguf: scaling of RoPE is not supported \(llama.rope.scaling.type is"):
        load_gguf(scaled)
    lacking = {name: array for name, array in tensors.items() if name != "token_embd.weight"}
    with pytest.raises(CheckpointError, match=r"b\.gguf: tensor 'token_embd.weight' is missing"):
        load_gguf(write_gguf(tmp_path / "b.gguf", fields, lacking))
    with pytest.raises(ConfigError, match=r"c\.gguf: only the architecture llama is supported, got 'qwen2'"):
        load_gguf(write_gguf(tmp_path / "c.gguf", {}, tensors, architecture="qwen2"))


def test_the_package_is_asked_for_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ConfigError, match=r'load_gguf needs the package gguf: pip install "bendtorch\[chat\]"'):
        load_gguf(tmp_path / "model.gguf")
