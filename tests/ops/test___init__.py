"""The operations together: all have their checks, and their types at run time are what their signatures say."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from typing import Any, Final

import pytest

import bendtorch
from bendtorch import checked, ops
from tests.ops import test_arithmetic, test_indexing, test_parts, test_products, test_sums
from tests.support.ops import Op
from tests.support.process import ROOT

PARTS: Final = (test_arithmetic, test_indexing, test_parts, test_products, test_sums)
OPS: Final[dict[str, Op]] = {op.name: op for part in PARTS for op in part.OPS}
OTHERWISE: Final = {"accumulate", "empty", "full", "ones", "zeros"}
"""Tested by hand: what is in place, and what takes no matrix."""


def test_every_operation_is_checked() -> None:
    own = {name for name in ops.__all__ if not getattr(ops, name).__module__.endswith(".elementwise")}
    assert own == OPS.keys() | OTHERWISE


def test_the_package_offers_the_module() -> None:
    assert bendtorch.ops is ops
    assert "ops" in bendtorch.__all__
    assert not set(ops.__all__) & set(bendtorch.__all__)


def test_the_readme_names_every_operation() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    broadcast = {f"{name}_{other}" for name in ("subtract", "multiply", "divide") for other in ("row", "column")}
    assert {name for name in OPS.keys() | OTHERWISE if f"`{name}`" not in text} == broadcast  # "and so on"


@pytest.mark.parametrize("name", ops.__all__)
def test_every_operation_says_its_shapes(name: str) -> None:
    operation: Any = getattr(ops, name)
    parameters = inspect.signature(operation).parameters.values()
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters)
    assert inspect.signature(operation).return_annotation.startswith("Mat[")


@pytest.mark.parametrize("name", sorted(OPS))
@pytest.mark.parametrize("sizes", [(3, 4), (0, 1), (1, 1)])
def test_what_is_given_has_the_shape_of_the_signature(
    name: str, sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`@checked` reads the annotations, and compares the sizes of arguments and result."""
    operation: Any = getattr(ops, name)
    wrapped = checked(operation)
    monkeypatch.setattr(ops, name, wrapped)
    monkeypatch.setattr(sys.modules[operation.__module__], name, wrapped)
    case = OPS[name]
    matrices = case.make(0, *sizes)
    result = replace(case, call=wrapped)(*matrices) if case.call is operation else case(*matrices)
    assert result.ndim == 2
