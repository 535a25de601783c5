"""`load_llama` and `save_llama`: folders of other programs, round trips, what is refused."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendtorch import AdamW, CrossEntropy, Key, Train
from bendtorch.errors import CheckpointError, ConfigError, DtypeError
from bendtorch.models import load_llama, save_llama
from bendtorch.models.hugging_face.weights import tensor_shapes
from tests.support.arrays import same_bits, special_numbers
from tests.support.files import names
from tests.support.llamas import MAKE, READ, SHAPES, dump, weights, write_folder, write_shards, write_tensors
from tests.support.sizes import seeds

MIB = 1 << 20
SAVE: Any = save_llama
LOAD: Any = load_llama
SAME_DIRECTORY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)


@st.composite
def configs(draw: st.DrawFn) -> Any:
    """Configurations that `transformers` takes."""
    key_heads, groups = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    width = key_heads * groups * draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 4)) for _ in range(3)]
    vocabulary = draw(st.integers(1, 9))
    token = st.integers(0, vocabulary - 1)
    return MAKE(
        vocabulary,
        width,
        key_heads,
        groups,
        *sizes,
        eps=draw(st.floats(0, 1)),
        base=draw(st.floats(1, 1e30)),
        tied=draw(st.booleans()),
        positions=draw(st.none() | st.integers(1, 2**40)),
        bos=draw(st.none() | token),
        eos=tuple(draw(st.lists(token, max_size=3))),
    )


@SAME_DIRECTORY
@given(config=configs(), seed=seeds, largest=st.integers(500, 10_000))
def test_a_round_trip_keeps_every_bit(tmp_path: Path, config: Any, seed: int, largest: int) -> None:
    """In one file and in shards, over what was there before; NaN, infinities and signed zeros included."""
    model = config.model(2, 3)
    p = model.zeros()
    model.load(p, special_numbers(seed, model.count()), 0)
    save_llama(tmp_path, config, model, p, largest=largest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that a file of another program has no checksum is not worth a warning
        read, found = load_llama(tmp_path)
    assert read == config
    assert same_bits(model.dump(found), model.dump(p))


@pytest.mark.parametrize("dtype", ["F32", "BF16", "F16"])
@pytest.mark.parametrize("shards", [0, 1, 3])
def test_a_folder_of_another_program(tmp_path: Path, dtype: str, shards: int) -> None:
    tensors = weights(3, dtype)
    if shards:
        write_shards(tmp_path, tensors, shards)
    else:
        write_folder(tmp_path, tensors)
    config, p = LOAD(str(tmp_path))
    assert config == READ
    assert same_bits(config.model(1, 1).dump(p), dump(tensors))


def test_what_is_loaded_can_be_used_and_trained(tmp_path: Path) -> None:
    config, p = LOAD(write_folder(tmp_path))
    model, tokens = config.model(2, 3), np.arange(6)
    before = model.dump(p)
    train: Any = Train.new(model, AdamW(1e-2), p)
    first = train.step(model, CrossEntropy(6, 11), tokens, tokens)
    assert train.step(model, CrossEntropy(6, 11), tokens, tokens) < first
    assert same_bits(dump(weights()), before)


def test_names_shapes_and_metadata_are_those_that_transformers_wants(tmp_path: Path) -> None:
    """Read by the safetensors library."""
    model = READ.model(1, 1)
    SAVE(tmp_path / "new" / "folder", READ, model, model.init(Key(0)))
    path = tmp_path / "new" / "folder"
    assert names(path) == ["config.json", "model.safetensors"]
    tensors = safetensors.numpy.load_file(path / "model.safetensors")
    assert {name: array.shape for name, array in tensors.items()} == SHAPES
    assert {str(array.dtype) for array in tensors.values()} == {"float32"}
    with safetensors.safe_open(path / "model.safetensors", framework="numpy") as file:
        assert file.metadata()["format"] == "pt"


def test_parameters_of_a_model_with_dropout(tmp_path: Path) -> None:
    """Its counters are no weights, and are left out."""
    model = READ.model(2, 3, dropout=0.1)
    p = model.init(Key(0))
    SAVE(tmp_path, READ, model, p)
    loaded = LOAD(tmp_path)[1]
    tokens = np.arange(6)
    assert same_bits(READ.model(2, 3).fwd(loaded, tokens).y, model.eval().fwd(p, tokens).y)


def test_our_own_files_are_checked(tmp_path: Path) -> None:
    model = READ.model(1, 1)
    SAVE(tmp_path, READ, model, model.init(Key(0)))
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="its checksum is not that of its content"):
        LOAD(tmp_path)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path)
    for name in ("config.json", "model.safetensors"):
        content = (tmp_path / name).read_bytes()
        for length in range(0, len(content), 1 if name == "config.json" else 97):
            (tmp_path / name).write_bytes(content[:length])
            with pytest.raises(CheckpointError):
                LOAD(tmp_path)
        (tmp_path / name).write_bytes(content)


@pytest.mark.parametrize("folder", ["model.safetensors", "nowhere", "empty"])
def test_what_is_no_such_folder(tmp_path: Path, folder: str) -> None:
    write_folder(tmp_path)
    (tmp_path / "empty").mkdir()
    texts = {
        "model.safetensors": "is a file; name a folder",
        "nowhere": "does not exist; load_llama reads a folder that transformers saved, and downloads none",
        "empty": "has no config.json",
    }
    with pytest.raises((CheckpointError, ConfigError), match=texts[folder]):
        LOAD(tmp_path / folder)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "config.json").unlink()
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(CheckpointError, match="not a regular file"):
        LOAD(tmp_path)


def test_the_folder_must_be_named() -> None:
    with pytest.raises(ConfigError, match="load_llama: folder must be the name of a folder"):
        LOAD(3)
    with pytest.raises(ConfigError, match="save_llama: config must be a LlamaConfig, got 3"):
        SAVE("nowhere", 3, READ.model(1, 1), None)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((READ, MAKE(12, 12, 2, 3, 2, 5, 2).model(1, 1)), ConfigError, "the model is not that of the configuration"),
        ((READ, MAKE(11, 12, 2, 3, 2, 5, 3).model(1, 1)), ConfigError, "the model is not that of the configuration"),
        ((MAKE(11, 13, 2, 3, 2, 5, 2), READ.model(1, 1)), ConfigError, "must be a multiple of the 6 heads"),
        ((dataclasses.replace(READ, base=5.0), READ.model(1, 1)), ConfigError, "the model is not that of the config"),
        ((dataclasses.replace(READ, eps=0.5), READ.model(1, 1)), ConfigError, "the model is not that of the config"),
        ((READ, READ), ConfigError, "save_llama: "),
    ],
)
def test_what_does_not_fit_writes_nothing(tmp_path: Path, arguments: Any, kind: Any, text: str) -> None:
    config, model = arguments
    p = model.zeros() if hasattr(model, "zeros") else None
    with pytest.raises(kind, match=text):
        SAVE(tmp_path / "new", config, model, p)
    assert names(tmp_path) == []


def test_parameters_of_another_model_write_nothing(tmp_path: Path) -> None:
    other = MAKE(11, 12, 2, 3, 2, 6, 2).model(1, 1)
    with pytest.raises((DtypeError, ValueError)):
        SAVE(tmp_path / "new", READ, READ.model(1, 1), other.zeros())
    assert names(tmp_path) == []


@pytest.mark.parametrize("largest", [0, -1, True, 2.5, None])
def test_a_shard_has_a_size(tmp_path: Path, largest: object) -> None:
    model = READ.model(1, 1)
    with pytest.raises(ConfigError, match="largest must be a number of bytes, an int from 1 on, got "):
        SAVE(tmp_path, READ, model, model.zeros(), largest=largest)


def test_config_json_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose weights could not be written is none that loads."""
    model = READ.model(1, 1)

    def fail(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("bendtorch.models.hugging_face.folder.write_shards", fail)
    with pytest.raises(OSError, match="no space left"):
        SAVE(tmp_path, READ, model, model.zeros())
    assert names(tmp_path) == []
    monkeypatch.undo()
    SAVE(tmp_path, READ, model, model.zeros())
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "llama"


@pytest.mark.parametrize("dtype", ["F32", "BF16"])
def test_there_is_no_second_copy_of_the_model(tmp_path: Path, dtype: str) -> None:
    """Neither when it is saved nor when it is loaded: besides the numbers themselves, a few pieces of a file."""
    config = MAKE(8192, 1024, 1, 1, 1, 1, 1)  # 32 MiB
    model = config.model(1, 1)
    p = model.zeros()
    assert peak(lambda: SAVE(tmp_path, config, model, p)) < 12 * MIB
    if dtype == "BF16":
        halves = np.zeros(config.count(), np.uint16)
        parts = np.split(halves, np.cumsum([math.prod(shape) for _, shape in tensor_shapes(config)])[:-1])
        named = zip(tensor_shapes(config), parts, strict=True)
        write_tensors(
            tmp_path / "model.safetensors", {name: (dtype, part.reshape(shape)) for (name, shape), part in named}
        )
    assert peak(lambda: LOAD(tmp_path)) < 4 * config.count() + 20 * MIB


def peak(work: Callable[[], object]) -> int:
    """The most bytes that were taken at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
