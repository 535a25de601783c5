"""Parameters in files: round trips, PyTorch's names, damaged files, failing writes."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendtorch.checkpoint import load_params, save_params
from bendtorch.combine import Seq
from bendtorch.errors import CheckpointError, ConfigError, ShapeError
from bendtorch.keys import Key
from tests.support.arrays import LAYOUTS, all_same_bits, as_lists, same_bits, special_numbers
from tests.support.chains import lists_of_layers, nestings
from tests.support.files import names
from tests.support.models import FIRST, LIN, NB, RELU, mlp
from tests.support.nests import rebuilt
from tests.support.params import random_like
from tests.support.sizes import seeds

UNCHECKED = pytest.warns(UserWarning, match="read unchecked")
SAME_DIRECTORY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def saved(path: Path, model: Any, seed: int = 0) -> Any:
    p = random_like(model, seed)
    save_params(path, model, p)
    return p


@SAME_DIRECTORY
@given(layers=lists_of_layers(), seed=seeds, data=st.data())
def test_a_round_trip_keeps_every_bit_whatever_the_nesting(
    tmp_path: Path, layers: list[Any], seed: int, data: Any
) -> None:
    """NaN, infinities and signed zeros included; the file does not know how the model is nested."""
    model, other = Seq(*layers), data.draw(nestings(layers))
    p = model.zeros()
    model.load(p, special_numbers(seed, model.count()), 0)
    path = tmp_path / "model.safetensors"
    save_params(path, model, p)
    assert all_same_bits(load_params(path, model), p)
    assert same_bits(other.dump(load_params(str(path), other)), model.dump(p))
    before = path.read_bytes()
    save_params(path, other, load_params(path, other))  # over the file that it came from
    assert path.read_bytes() == before


def test_names_and_shapes_are_those_of_pytorchs_sequential(tmp_path: Path) -> None:
    """`nn.Sequential(Linear(3, 4), ReLU(), Linear(4, 2))` has these tensors; read by the safetensors library."""
    path, model = tmp_path / "m", mlp(5)
    p = saved(path, model)
    tensors = safetensors.numpy.load_file(path)
    assert {name: array.shape for name, array in tensors.items()} == {
        "0.weight": (4, 3),
        "0.bias": (4,),
        "2.weight": (2, 4),
        "2.bias": (2,),
    }
    for name, array in zip(("0.weight", "0.bias", "2.weight", "2.bias"), as_lists(p), strict=True):
        assert tensors[name].dtype == np.float32
        assert np.array_equal(tensors[name].reshape(array.shape), array)


def test_metadata_and_alignment(tmp_path: Path) -> None:
    path = tmp_path / "m"
    saved(path, mlp(5))
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    checksum = metadata.pop("sha256")
    assert metadata == {
        "format": "bendtorch-params-1",
        "model": "Seq(LinearFirst(5, 3, 4), ReLU(5, 4), Linear(5, 4, 2))",
    }
    whole = path.read_bytes()
    assert hashlib.sha256(whole[8:].replace(checksum.encode(), b"0" * 64)).hexdigest() == checksum
    assert (8 + int.from_bytes(path.read_bytes()[:8], "little")) % 8 == 0


def test_a_file_of_another_program_is_read(tmp_path: Path) -> None:
    tensors = {"weight": np.arange(6, dtype=np.float32).reshape(2, 3), "bias": np.array([7, 8], np.float32)}
    path, model = tmp_path / "m", LIN(1, 3, 2)
    safetensors.numpy.save_file(tensors, path)
    with pytest.warns(UserWarning, match="m: has no checksum, as files of other programs; it is read unchecked"):
        p = load_params(path, model)
    assert p.weight.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert p.bias.tolist() == [[7, 8]]


def test_models_of_other_batch_sizes_share_files(tmp_path: Path) -> None:
    p = saved(tmp_path / "m", mlp(5))
    assert all_same_bits(load_params(tmp_path / "m", mlp(0)), p)


def test_a_model_without_parameters(tmp_path: Path) -> None:
    model = RELU(2, 3) >> RELU(2, 3)
    saved(tmp_path / "m", model)
    assert as_lists(load_params(tmp_path / "m", model)) == []


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_every_layout_is_saved_as_its_numbers(tmp_path: Path, name: str) -> None:
    model = LIN(1, 3, 4)
    p = random_like(model, 0)
    save_params(tmp_path / "m", model, rebuilt(p, [LAYOUTS[name](array) for array in as_lists(p)]))
    assert all_same_bits(load_params(tmp_path / "m", model), p)


def test_parameters_that_do_not_fit_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with pytest.raises(ShapeError, match="weight must be"):
        save_params(path, LIN(1, 3, 4), LIN(1, 3, 5).zeros())
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (NB(1, 3, 4), "tensor 'bias' is not part of the model; the file is of another model"),
        (LIN(1, 4, 4), "tensor 'weight' must have shape [4, 4], got [4, 3]"),
        (LIN(1, 3, 5), "tensor 'weight' must have shape [5, 3], got [4, 3]"),
        (mlp(1), "tensor '0.weight' is missing; the file is of another model"),
    ],
)
def test_another_models_file_is_refused_with_the_first_difference(tmp_path: Path, other: Any, text: str) -> None:
    path = tmp_path / "m"
    saved(path, LIN(1, 3, 4))
    with pytest.raises(CheckpointError) as raised:
        load_params(path, other)
    assert str(raised.value) == f"{path}: {text}"


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "uint8"])
def test_other_types_of_numbers_are_refused(tmp_path: Path, dtype: str) -> None:
    safetensors.numpy.save_file({"weight": np.zeros((4, 3), dtype)}, tmp_path / "m")
    with UNCHECKED, pytest.raises(CheckpointError, match="tensor 'weight' must be F32, got "):
        load_params(tmp_path / "m", NB(1, 3, 4))


def test_a_vector_is_not_a_matrix_of_one_row(tmp_path: Path) -> None:
    safetensors.numpy.save_file(
        {"weight": np.zeros((4, 3), np.float32), "bias": np.zeros((1, 4), np.float32)}, tmp_path / "m"
    )
    with UNCHECKED, pytest.raises(CheckpointError, match=r"tensor 'bias' must have shape \[4\], got \[1, 4\]"):
        load_params(tmp_path / "m", LIN(1, 3, 4))


def outcome(path: Path, content: bytes, model: Any) -> str:
    """What loading a damaged file does: refused with our error, or numbers of the model's sizes."""
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = load_params(path, model)
    except CheckpointError:
        return "refused"
    assert [array.shape for array in as_lists(p)] == [array.shape for array in as_lists(model.zeros())]
    return "loaded"


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "m", mlp(2)
    saved(path, model)
    whole = path.read_bytes()
    assert {outcome(path, whole[:length], model) for length in range(len(whole))} == {"refused"}
    assert outcome(path, whole + b"x", model) == "refused"
    assert outcome(path, whole, model) == "loaded"


def test_every_changed_byte_is_refused(tmp_path: Path) -> None:
    """Also in what is written for people, and in the checksum itself; never another exception."""
    path, model = tmp_path / "m", LIN(1, 2, 2)
    saved(path, model)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for change in (*(1 << bit for bit in range(8)), 0xFF, whole[place], whole[place] ^ 0x20):
            if change == 0:
                continue
            damaged = bytes([*whole[:place], whole[place] ^ change, *whole[place + 1 :]])
            assert outcome(path, damaged, model) == "refused"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 8,
        b"\0" * 100,
        b"\xff" * 100,
        b"not a checkpoint at all",
        (2).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (4).to_bytes(8, "little") + b"null",
        (2**62).to_bytes(8, "little") + b"{}",
        (5).to_bytes(8, "little") + b'{"a":',
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    assert outcome(tmp_path / "m", content, LIN(1, 2, 2)) == "refused"


def entry(**changes: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **changes}


@pytest.mark.parametrize(
    "header",
    [
        {"weight": entry(shape=[2**40, 2**40])},
        {"weight": entry(shape=[-2, -2])},
        {"weight": entry(shape=[2.0, 2])},
        {"weight": entry(shape="22")},
        {"weight": entry(data_offsets=[16, 0])},
        {"weight": entry(data_offsets=[0, 2**63])},
        {"weight": entry(data_offsets=[4, 20])},
        {"weight": entry(data_offsets=[0])},
        {"weight": entry(dtype="F31")},
        {"weight": entry(dtype=None)},
        {"weight": {}},
        {"weight": None},
        {"weight": entry(), "other": entry()},
        {"__metadata__": {"format": 3}, "weight": entry()},
    ],
)
def test_lies_in_the_header_are_refused(tmp_path: Path, header: Any) -> None:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    content = len(text).to_bytes(8, "little") + text + bytes(16)
    assert outcome(tmp_path / "m", content, NB(1, 2, 2)) == "refused"


def test_the_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(CheckpointError, match="not a complete safetensors file") as raised:
        load_params(path, mlp(1))
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_params(tmp_path / "m", mlp(1))


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises((OSError, CheckpointError)):
        load_params(tmp_path, mlp(1))


class FailingFile(io.BufferedWriter):
    """A file whose n-th write fails, or writes half."""

    allowed = 0

    def write(self, data: Any) -> int:
        """Write, or fail as a full disk does."""
        if type(self).allowed == 0:
            super().write(bytes(data)[: len(bytes(data)) // 2])
            raise OSError(28, "No space left on device")
        type(self).allowed -= 1
        return super().write(data)


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_a_failing_write_leaves_the_old_file_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int, existing: bool
) -> None:
    path, model = tmp_path / "m", mlp(2)
    old = saved(path, model) if existing else None

    def opened(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        assert mode == "xb"
        FailingFile.allowed = allowed
        return FailingFile(io.FileIO(self, "x"))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", opened)
        with pytest.raises(OSError, match="No space left"):
            save_params(path, model, random_like(model, 1))
    assert names(tmp_path) == (["m"] if existing else [])
    assert old is None or all_same_bits(load_params(path, model), old)


def test_a_failing_flush_leaves_the_old_file_and_no_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, model = tmp_path / "m", mlp(2)
    old = saved(path, model)

    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output error"):
            save_params(path, model, random_like(model, 1))
    assert names(tmp_path) == ["m"]
    assert all_same_bits(load_params(path, model), old)


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need no privilege only on POSIX")
def test_saving_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "m")
    p = saved(link, mlp(2))
    assert link.is_symlink()
    assert all_same_bits(load_params(tmp_path / "real" / "m", mlp(2)), p)


def test_a_model_whose_leaves_do_not_describe_it_is_refused(tmp_path: Path) -> None:
    model: Any = dataclasses.replace(NB(1, 2, 3), leaves=())
    for call in (lambda: save_params(tmp_path / "m", model, model.zeros()), lambda: load_params(tmp_path / "m", model)):
        with pytest.raises(ConfigError, match=r"^LinearNB\(1, 2, 3\): its leaves describe 0 of 6 numbers"):
            call()
    assert names(tmp_path) == []


def test_a_loaded_model_owns_its_memory(tmp_path: Path) -> None:
    """The file may change afterwards."""
    path, model = tmp_path / "m", FIRST(1, 3, 4)
    p = saved(path, model)
    loaded = load_params(path, model)
    saved(path, model, seed=1)
    assert all_same_bits(loaded, p)
    assert all(array.flags.writeable for array in as_lists(loaded))
    assert not all_same_bits(loaded, model.init(Key(0)))


def test_a_part_of_a_model_by_name(tmp_path: Path) -> None:
    """A pretrained body under a new head: only what is named may be missing, or left over."""
    path, body, whole = tmp_path / "m", LIN(1, 3, 4) >> RELU(1, 4), LIN(1, 3, 4) >> RELU(1, 4) >> LIN(1, 4, 2)
    trained, fresh = saved(path, body), random_like(whole, 7)
    with pytest.raises(CheckpointError, match=r"tensor '2\.weight' is missing"):
        load_params(path, whole)
    with pytest.raises(CheckpointError, match=r"tensor '2\.bias' is missing"):
        load_params(path, whole, missing=["2.weight"])
    p = load_params(path, whole, missing=["2.*"], p=fresh)
    assert same_bits(whole.dump(p)[: body.count()], body.dump(trained))
    assert same_bits(whole.dump(p)[body.count() :], whole.dump(fresh)[body.count() :])
    assert not whole.dump(load_params(path, whole, missing=["2.*"]))[body.count() :].any()
    both = saved(path, whole, 3)
    with pytest.raises(CheckpointError, match=r"tensor '2\.bias' is not part of the model"):
        load_params(path, body)
    assert same_bits(body.dump(load_params(path, body, unused=["2.*"])), whole.dump(both)[: body.count()])


def test_a_file_of_ours_that_lost_its_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    saved(path, LIN(1, 2, 2))
    path.write_bytes(path.read_bytes().replace(b'"sha256"', b'"sha257"'))
    with pytest.raises(CheckpointError, match="has lost its checksum; the file is damaged"):
        load_params(path, LIN(1, 2, 2))


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    one = '"weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}'
    text = ("{" + one + "," + one + "}").encode()
    text += b" " * (-len(text) % 8)
    (tmp_path / "m").write_bytes(len(text).to_bytes(8, "little") + text + bytes(16))
    with pytest.raises(CheckpointError, match="a name stands twice in the header"):
        load_params(tmp_path / "m", NB(1, 2, 2))
