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


def test_nothing_need_be_kept(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    monkeypatch.setattr(machine_code, "cache_directory", lambda: None)
    provide("nine", adds("test_add_nine", 9), ("test_add_nine",))
    assert called("test_add_nine", 1) == 10
    assert list(directory.iterdir()) == []


def _put_sum(a: int, b: int, out: int) -> None:
    store(out, a + b)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_python_function_is_found_by_its_name() -> None:
    provide_function("test_put_sum", _put_sum, types.void(types.int64, types.int64, types.int64))
    result = ctypes.c_int64(0)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(llvm.address_of_symbol("test_put_sum") or 0)
    function(3, 4, ctypes.addressof(result))
    assert result.value == 7
