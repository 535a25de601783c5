"""Loops that move numbers, and that kernels use them."""

from __future__ import annotations

import ast
from typing import Any, TypeGuard

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import copying
from tests.support.arrays import numbers, same_bits
from tests.support.process import ROOT
from tests.support.sizes import seeds

COPY: Any = copying.copy
FILL: Any = copying.fill


@given(size=st.integers(0, 70), more=st.integers(0, 3), seed=seeds)
def test_as_far_as_the_target_goes(size: int, more: int, seed: int) -> None:
    source, target = numbers(seed, size + more), np.zeros(size + 1, np.float32)
    COPY(source, target[:size])
    assert same_bits(target, np.append(source[:size], np.float32(0)))


@given(size=st.integers(0, 70), value=st.floats(width=32))
def test_one_number_everywhere(size: int, value: float) -> None:
    target = np.zeros(size + 1, np.float32)
    FILL(target[:size], np.float32(value))
    assert same_bits(target, np.append(np.full(size, value, np.float32), np.float32(0)))


def has_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and any(isinstance(part, ast.Slice) for part in ast.walk(node.slice))


def assigns_an_array(node: ast.AST) -> TypeGuard[ast.Assign]:
    """`a[:] = b`, or `a[i] = b[j:]` with rows of a; an upper-case name is a number's."""
    if not isinstance(node, ast.Assign):
        return False
    named = isinstance(node.value, ast.Name) and node.value.id.islower()
    places = [target for target in node.targets if isinstance(target, ast.Subscript)]
    return any((named and has_slice(place)) or has_slice(node.value) for place in places)


@pytest.mark.parametrize("path", sorted((ROOT / "bendtorch" / "kernels").rglob("*.py")), ids=lambda path: path.stem)
def test_no_kernel_assigns_an_array(path: Any) -> None:
    lines = [node.lineno for node in ast.walk(ast.parse(path.read_text("utf-8"))) if assigns_an_array(node)]
    assert lines == [], "copy with bendtorch/kernels/copying.py, which compiles sooner"
