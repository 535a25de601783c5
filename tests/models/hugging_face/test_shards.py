"""One file, or several with an index: what is opened, what an index may not say, what is written."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from bendtorch.checkpoint.format import Tensor
from bendtorch.errors import CheckpointError
from bendtorch.models.hugging_face.shards import opened, write_shards
from tests.support import llamas
from tests.support.files import names

A, B = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"


def file(folder: Path, name: str, *tensors: str) -> None:
    """A file of small tensors."""
    safetensors.numpy.save_file({each: np.zeros(3, np.float32) for each in tensors}, folder / name)


def found(folder: Path) -> dict[str, str]:
    """Which tensor was found in which file."""
    with opened(folder) as tensors:
        return {name: reader.path.name for name, reader in tensors.items()}


def test_one_file(tmp_path: Path) -> None:
    file(tmp_path, "model.safetensors", "a", "b")
    assert found(tmp_path) == {"a": "model.safetensors", "b": "model.safetensors"}


def test_shards_with_an_index(tmp_path: Path) -> None:
    file(tmp_path, A, "a", "c")
    file(tmp_path, B, "b")
    llamas.write_index(tmp_path, {"weight_map": {"a": A, "b": B, "c": A}})
    assert found(tmp_path) == {"a": A, "b": B, "c": A}
    file(tmp_path, "model.safetensors", "d")  # which comes first, as in transformers
    assert found(tmp_path) == {"d": "model.safetensors"}


def test_shards_may_be_links(tmp_path: Path) -> None:
    """As in the cache that Hugging Face's own library keeps."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot").mkdir()
    file(tmp_path / "blobs", "0123", "a")
    (tmp_path / "snapshot" / A).symlink_to("../blobs/0123")
    llamas.write_index(tmp_path / "snapshot", {"weight_map": {"a": A}})
    assert found(tmp_path / "snapshot") == {"a": A}


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd.safetensors",
        "../a.safetensors",
        "folder/a.safetensors",
        "folder\\a.safetensors",
        "C:a.safetensors",
        "..",
        ".safetensors",
        "",
        "a\0.safetensors",
        "pytorch_model.bin",
        3,
        None,
        ["a.safetensors"],
        {"a": "b"},
    ],
)
def test_an_index_reaches_nothing_outside_of_its_folder(tmp_path: Path, name: object) -> None:
    (tmp_path / "inside").mkdir()
    file(tmp_path, "a.safetensors", "a")
    llamas.write_index(tmp_path / "inside", {"weight_map": {"a": name}})
    with pytest.raises(CheckpointError, match=r"only .safetensors files beside it are read"):
        found(tmp_path / "inside")


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ({}, "weight_map must be an object"),
        ({"weight_map": {}}, "weight_map must be an object"),
        ({"weight_map": [A]}, "weight_map must be an object"),
        ({"weight_map": {"a": A, "b": B}}, f"{B} is missing, which {INDEX} names; the download is not complete"),
        ({"weight_map": {"a": A, "d": A}}, f"{A}: {INDEX} does not place tensor 'c' in this file"),
        ({"weight_map": {"a": A, "c": A, "d": A}}, f"{A}: tensor 'd' is missing, which {INDEX} places in it"),
    ],
)
def test_an_index_that_its_files_contradict(tmp_path: Path, index: Any, text: str) -> None:
    file(tmp_path, A, "a", "c")
    llamas.write_index(tmp_path, index)
    with pytest.raises(CheckpointError) as raised:
        found(tmp_path)
    assert text in str(raised.value)


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    file(tmp_path, A, "a", "b")
    file(tmp_path, B, "b", "c")
    llamas.write_index(tmp_path, {"weight_map": {"a": A, "b": A, "c": B}})
    with pytest.raises(CheckpointError, match=f"{B}: {INDEX} does not place tensor 'b' in this file"):
        found(tmp_path)


def test_every_truncation_of_a_shard_is_refused(tmp_path: Path) -> None:
    file(tmp_path, A, "a")
    llamas.write_index(tmp_path, {"weight_map": {"a": A}})
    content = (tmp_path / A).read_bytes()
    for length in range(len(content)):
        (tmp_path / A).write_bytes(content[:length])
        with pytest.raises(CheckpointError):
            found(tmp_path)


def test_a_folder_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"has neither model.safetensors nor model.safetensors.index.json"):
        found(tmp_path)


TENSORS = [
    Tensor(name, "F32", (size,), np.full(size, size, np.float32))
    for name, size in zip("abcde", (3, 1, 2, 9, 1), strict=True)
]


@pytest.mark.parametrize(
    ("most", "parts"),
    [
        (64, ["abcde"]),
        (63, ["abcd", "e"]),
        (40, ["abc", "de"]),
        (16, ["ab", "c", "d", "e"]),
        (1, list("abcde")),
    ],
)
def test_what_is_written(tmp_path: Path, most: int, parts: list[str]) -> None:
    """Parts in order, none larger than asked for unless it is one tensor; the library reads them."""
    write_shards(tmp_path, TENSORS, most)
    count = len(parts)
    files = [f"model-{k + 1:05}-of-{count:05}.safetensors" for k in range(count)]
    assert names(tmp_path) == (["model.safetensors"] if count == 1 else [*files, INDEX])
    for name, part in zip(names(tmp_path), parts, strict=False):
        read = safetensors.numpy.load_file(tmp_path / name)
        assert {each: array.size for each, array in read.items()} == {
            t.name: t.shape[0] for t in TENSORS if t.name in part
        }
    expected = {name: part for part in parts for name in part}
    assert set(found(tmp_path)) == set(expected)


def test_shards_take_the_place_of_one_file(tmp_path: Path) -> None:
    write_shards(tmp_path, TENSORS, 1000)
    write_shards(tmp_path, TENSORS, 40)
    assert set(found(tmp_path).values()) == {A, B}
    write_shards(tmp_path, TENSORS, 1000)
    assert set(found(tmp_path).values()) == {"model.safetensors"}


def test_an_older_model_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in ("mine.safetensors", "model-00007-of-00009.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"mine")
    kept = names(tmp_path)
    write_shards(tmp_path, TENSORS, 1)
    write_shards(tmp_path, TENSORS, 40)
    assert names(tmp_path) == sorted([*kept, A, B, INDEX])
    write_shards(tmp_path, TENSORS, 1000)
    assert names(tmp_path) == sorted([*kept, "model.safetensors"])
    write_shards(tmp_path, TENSORS, 40)
    assert names(tmp_path) == sorted([*kept, A, B, INDEX])
    (tmp_path / INDEX).write_text("{")
    write_shards(tmp_path, TENSORS, 1000)
    assert names(tmp_path) == sorted([*kept, A, B, "model.safetensors"])  # nobody says whose the shards are


@pytest.mark.parametrize("most", [1000, 40])
def test_a_crash_leaves_a_folder_that_can_be_read(tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a removal fails, the folder holds all of one model."""
    whole = {tensor.name for tensor in TENSORS}
    remove = Path.unlink
    for count in range(8):
        write_shards(tmp_path, TENSORS, 1)
        left = iter(range(count))

        def failing(path: Path, missing_ok: bool = False, left: Any = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            remove(path, missing_ok)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", failing)
            with contextlib.suppress(KeyboardInterrupt):
                write_shards(tmp_path, TENSORS, most)
        assert set(found(tmp_path)) == whole
    assert len(names(tmp_path)) == (1 if most == 1000 else 3)


@pytest.mark.parametrize(("before", "most"), [(40, 40), (1, 1), (1, 40), (40, 1), (1000, 40), (40, 1000)])
def test_a_crash_leaves_one_model_whole(
    tmp_path: Path, before: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file cannot be put in its place, and as many shards as before or not: all numbers are of one model."""
    newer = [Tensor(t.name, t.dtype, t.shape, t.array + 1) for t in TENSORS]
    replace, ended = os.replace, list[int]()
    for count in range(8):
        folder = tmp_path / str(count)
        folder.mkdir()
        write_shards(folder, TENSORS, before)
        left = iter(range(count))

        def failing(source: Any, place: Any, left: Any = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            replace(source, place)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", failing)
            with contextlib.suppress(KeyboardInterrupt):
                write_shards(folder, newer, most)
        files = found(folder)
        added = {int(safetensors.numpy.load_file(folder / files[t.name])[t.name][0]) - t.shape[0] for t in TENSORS}
        assert len(added) == 1
        ended += added
    assert ended == sorted(ended)
    assert set(ended) == {0, 1}


def test_shards_beside_as_many_of_an_older_model(tmp_path: Path) -> None:
    """They take other names, which the next model gives back."""
    second = [file.replace("model", "model-2") for file in (A, B)]
    for files in ([A, B], second, [A, B]):
        write_shards(tmp_path, TENSORS, 40)
        assert names(tmp_path) == sorted([*files, INDEX])
        assert set(found(tmp_path).values()) == set(files)
