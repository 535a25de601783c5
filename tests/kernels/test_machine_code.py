"""LLVM code as functions of ours: compiled once, kept on disk, right whatever happens to the file."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest
from llvmlite import ir
from numba import types

from bendtorch.kernels import machine_code
from bendtorch.kernels.atomics import store
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.machine_code import provide, provide_function

I64 = ir.IntType(64)
built: list[str] = []


def adds(name: str, amount: int) -> Any:
    """What builds a module with one function that adds `amount`."""

    def build() -> ir.Module:
        built.append(name)
        module = ir.Module(name)
        function = ir.Function(module, ir.FunctionType(I64, [I64]), name)
        builder = ir.IRBuilder(function.append_basic_block())
        builder.ret(builder.add(function.args[0], ir.Constant(I64, amount)))
        return module

    return build


def called(name: str, number: int) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(llvm.address_of_symbol(name) or 0)(number)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(machine_code, "cache_directory", lambda: tmp_path)
    built.clear()
    return tmp_path


def test_a_function_is_found_by_its_name() -> None:
    provide("five", adds("test_add_five", 5), ("test_add_five",))
    assert called("test_add_five", 7) == 12


def test_it_is_built_once(directory: Path) -> None:
    for _ in range(2):
        provide("six", adds("test_add_six", 6), ("test_add_six",))
    assert built == ["test_add_six"]
    assert [file.suffix for file in directory.iterdir()] == [".o"]
    assert called("test_add_six", 7) == 13


@pytest.mark.parametrize("content", [b"", b"damaged", bytes(100)])
def test_a_damaged_file_is_replaced(directory: Path, content: bytes) -> None:
    name = f"test_add_{len(content)}"
    provide("code", adds(name, 1), (name,))
    (file,) = directory.iterdir()
    whole = file.read_bytes()
    file.write_bytes(content)
    provide("code", adds(name, 1), (name,))
    assert built == [name, name]
    assert file.read_bytes() == whole
    assert called(name, 7) == 8


def test_code_of_another_processor_is_not_loaded(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each processor has its file, and one under another's name is replaced."""
    system, processor, its_features = machine_code._target()
    plain = ",".join(sorted(set(its_features.split(",")) - {"+avx512f"}))
    provide("code", adds("test_add_three", 3), ("test_add_three",))
    (own,) = directory.iterdir()
    monkeypatch.setattr(machine_code, "_target", lambda: (system, processor, plain))
    provide("code", adds("test_add_three", 3), ("test_add_three",))
    (other,) = set(directory.iterdir()) - {own}
    whole = other.read_bytes()
    other.write_bytes(own.read_bytes())
    provide("code", adds("test_add_three", 3), ("test_add_three",))
    assert built == ["test_add_three"] * 3
    assert other.read_bytes() == whole


def test_features_are_none_where_they_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Any:
        raise AttributeError("magic_tuple")

    assert (machine_code.features() == frozenset()) == (machine_code._target()[2] == "")
    monkeypatch.setattr(machine_code, "_target", unknown)
    assert machine_code.features() == frozenset()


def test_nothing_is_left_of_a_file_that_cannot_be_written(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    provide("code", adds("test_add_two", 2), ("test_add_two",))
    assert called("test_add_two", 1) == 3
    assert list(directory.iterdir()) == []


def test_nothing_need_be_kept(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    monkeypatch.setattr(machine_code, "cache_directory", lambda: None)
    provide("nine", adds("test_add_nine", 9), ("test_add_nine",))
    assert called("test_add_nine", 1) == 10
    assert list(directory.iterdir()) == []


def _put_sum(a: int, b: int, out: int) -> None:
    store(out, a + b)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("kept", [True, False])
def test_a_python_function_is_found_by_its_name(kept: bool) -> None:
    name = f"test_put_sum_{kept}"
    provide_function(name, _put_sum, types.void(types.int64, types.int64, types.int64), kept=kept)
    result = ctypes.c_int64(0)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(llvm.address_of_symbol(name) or 0)
    function(3, 4, ctypes.addressof(result))
    assert result.value == 7
