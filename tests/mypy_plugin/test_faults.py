"""A fault in the plugin is an error at its place, and never the end of mypy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from mypy.errors import CompileError, ErrorInfo, Errors

from bendtorch.mypy_plugin.defaults import Defaults
from bendtorch.mypy_plugin.faults import describe, guarded
from bendtorch.mypy_plugin.watch import MessageWatch
from tests.typing.harness import Project

FAULTY = """
from bendtorch.mypy_plugin import annotations, arrays, calls, chain, numpy_calls, partial, plugin as entry, watch


def broken(*args, **kwargs):
    raise ValueError("a bug,\\nin two lines")


{where} = broken
plugin = entry
"""

USE = """
from __future__ import annotations

from functools import partial

import numpy as np
from bendtorch import Linear, Mat, ReLU, Seq

layer = Linear(3, 4, 5)
both = layer >> ReLU(3, 5)
half = partial(Linear, 3)
array = np.zeros((3, 4), np.float32)
turned = array.T


def f(x: Mat[3, 4]) -> None: ...


f(array)
wrong: Mat[3, 4] = np.zeros((4, 3), np.float32)
summed = np.sum(array, axis=0)
shifted = array - 1
raised = np.exp(array)
"""


def text(kind: str, line: int) -> str:
    return (
        f"E: bendtorch plugin: a fault in the {kind} hook at faulty.py:{line} (ValueError: a bug, in two lines);"
        " sizes here are not checked, please report it  [bend-fault]"
    )


@pytest.mark.parametrize(
    ("where", "kind", "lines"),
    [
        ("calls.CallHooks.on_signature", "signature", [9, 10, 11, 19]),
        ("calls.CallHooks.on_call", "call", [9, 10, 11, 19]),
        ("chain.on_rshift_signature", ">>", [10]),
        ("chain.on_rshift", "__rshift__", [10]),
        ("partial.PartialHooks.on_partial", "partial", [11]),
        ("arrays.on_make", "__call__", [12, 20]),
        ("arrays.on_transposed", ".T", [13]),
        ("numpy_calls.NumpyHooks.on_function", "numpy", [21]),
        ("numpy_calls.NumpyHooks.on_method", "numpy", [22, 23]),
        ("annotations.AnnotationHook.analyse", "annotation", [16, 20]),
    ],
)
def test_a_fault_in_a_hook(where: str, kind: str, lines: list[int], tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY.format(where=where))
    (tmp_path / "use.py").write_text(USE)
    reported = Project(tmp_path, "./faulty.py").check(["use.py"])["use.py"]
    fault = text(kind, 6)
    assert [line for line, texts in reported.items() if fault in texts] == lines


def test_a_fault_while_rewording_keeps_the_message(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY.format(where="watch.reword"))
    (tmp_path / "use.py").write_text(USE)
    (message,) = Project(tmp_path, "./faulty.py").check(["use.py"])["use.py"][20]
    assert message.startswith("E: Incompatible types in assignment")
    assert "(bendtorch plugin: could not reword this message: ValueError" in message


def test_a_private_name_of_mypy_is_missing() -> None:
    watch = MessageWatch(Defaults(lambda name: None))
    watch.install(cast("Errors", SimpleNamespace()))
    watch.accept(cast("Errors", SimpleNamespace(file="f.py")), 1, 2)
    info = SimpleNamespace(message="Invalid type: 4", line=1, column=2, code=None)
    assert watch.on_message("f.py", cast("ErrorInfo", info))


def test_mypys_own_way_to_stop_is_passed_on() -> None:
    def stop(context: object) -> Any:
        raise CompileError(["stop"])

    with pytest.raises(CompileError):
        guarded(stop, "call")(object())


def test_where_a_fault_happened() -> None:
    try:
        raise KeyError("size")
    except KeyError as fault:
        described = describe("call", fault)
    assert described.startswith("bendtorch plugin: a fault in the call hook at test_faults.py:")
    assert "(KeyError: 'size')" in described
