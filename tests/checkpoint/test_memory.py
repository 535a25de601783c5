"""How much memory files take: a save no second copy of the model, a load at most twice the file and 16 MiB."""

from __future__ import annotations

import dataclasses
import math
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import (
    SGD,
    AdamW,
    Average,
    Checkpoints,
    LinearNB,
    Momentum,
    PackedAdamW,
    Repeat,
    Train,
    load_params,
    load_train,
    save_params,
    save_train,
)
from bendtorch.errors import CheckpointError
from tests.support.models import LIN

MIB: Final = 1 << 20
ROOM: Final = 16 * MIB
NB: Final[Any] = LinearNB


def flat(numbers: int) -> Any:
    """A model of so many Mi numbers."""
    return NB(1, 1024, 1024 * numbers)


def tree(numbers: int) -> Any:
    """The same without views: its run keeps no flat buffers."""
    return dataclasses.replace(flat(numbers), view=None)


def peak(work: Callable[[], object]) -> int:
    """The most bytes that were taken at once."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_parameters(tmp_path: Path) -> None:
    model, path = flat(6), tmp_path / "p"
    p = model.zeros()
    assert peak(lambda: save_params(path, model, p)) < MIB
    size = path.stat().st_size
    assert size > 24 * MIB
    assert peak(lambda: load_params(path, model)) <= 2 * size + ROOM


@pytest.mark.parametrize("optimizer", [SGD(0.1), Momentum(0.1), AdamW(), PackedAdamW()], ids=lambda o: type(o).__name__)
def test_a_run(tmp_path: Path, optimizer: Any) -> None:
    model, path = flat(6), tmp_path / "run"
    train = Train.new(model, optimizer, model.zeros())
    average = Average(model, train)
    assert peak(lambda: save_train(path, model, train)) < MIB
    size = path.stat().st_size
    assert peak(lambda: load_train(path, model, optimizer)) <= 2 * size + ROOM
    assert peak(lambda: save_train(path, model, train, average=average)) < MIB
    assert peak(lambda: load_train(path, model, optimizer, average=average)) <= 2 * path.stat().st_size + ROOM


@pytest.mark.parametrize("optimizer", [Momentum(0.1), AdamW(), PackedAdamW()], ids=lambda o: type(o).__name__)
def test_a_run_of_a_model_without_views(tmp_path: Path, optimizer: Any) -> None:
    model, path = tree(6), tmp_path / "run"
    train = Train.new(model, optimizer, model.zeros())
    assert peak(lambda: save_train(path, model, train)) < MIB
    assert peak(lambda: load_train(path, model, optimizer)) <= 2 * path.stat().st_size + ROOM


def test_a_small_file_takes_none_for_a_large_model(tmp_path: Path) -> None:
    path, small = tmp_path / "run", NB(1, 2, 3)
    save_train(path, small, Train.new(small, AdamW(), small.zeros()))
    params = tmp_path / "p"
    save_params(params, small, small.zeros())

    def refused(load: Callable[[], object]) -> None:
        with pytest.raises(CheckpointError, match=r"tensor 'weight' must have shape \[6144, 1024\], got \[3, 2\]"):
            load()

    assert peak(lambda: refused(lambda: load_train(path, flat(6), AdamW()))) < ROOM
    assert peak(lambda: refused(lambda: load_params(params, flat(6)))) < ROOM


ENTRY: Final = b'"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
HEADERS: Final[dict[str, tuple[bytes, bytes, bytes]]] = {
    "lists": (b'{"a":[', b"[],", b"[]]}"),
    "objects": (b'{"a":[', b"{},", b"{}]}"),
    "numbers": (b'{"a":[', b"1e9,", b"1]}"),
    "names": (b"{", b'"%x":1,', b'"z":1}'),
    "depth": (b'{"a":', b"[", b""),
    "tensors without numbers": (b"{", ENTRY, ENTRY[:-1] % 0xFFFFFFF + b"}"),
    "metadata": (b'{"__metadata__":{', b'"%x":"",', b'"z":""}}'),
}
"""How headers begin, what is repeated in them, with a number where there is a place for it, and how they end."""


@pytest.mark.parametrize("size", [1 << 19, 1 << 22])
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_grows_when_it_is_read(tmp_path: Path, name: str, size: int) -> None:
    path, (start, piece, end) = tmp_path / "p", HEADERS[name]
    number = size // len(piece % 0x10000 if b"%" in piece else piece)
    header = start + b"".join(piece % i if b"%" in piece else piece for i in range(number)) + end
    path.write_bytes(len(header).to_bytes(8, "little") + header)

    def refused() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # some are true of themselves, without a checksum
            with pytest.raises(CheckpointError):
                load_params(path, LIN(1, 2, 3))

    assert peak(refused) <= 2 * path.stat().st_size + ROOM


def test_a_model_of_many_small_layers_has_a_long_header(tmp_path: Path) -> None:
    model: Any = Repeat(3000, LIN(1, 1, 1))
    path = tmp_path / "run"
    save_train(path, model, Train.new(model, AdamW(), model.zeros()))
    assert int.from_bytes(path.read_bytes()[:8], "little") > 10 * model.count() * 4
    assert load_train(path, model, AdamW()).t == 0
    assert Checkpoints(tmp_path, model, score=lambda p: 0.0).best_score == math.inf
    path.rename(tmp_path / "best.safetensors")
    assert Checkpoints(tmp_path, model, score=lambda p: 0.0).best_score == math.inf


def test_the_figures_can_be_exceeded() -> None:
    """What is measured is what numpy takes."""
    assert peak(lambda: np.ones(MIB, np.float32)) >= 4 * MIB
