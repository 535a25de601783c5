"""Index functions with one fault: the shipped source of one function with one edit."""

from __future__ import annotations

import ast
import importlib
import inspect
from typing import Any, NamedTuple

import pytest

from bendtorch.laws.proofs import SizeTheorem
from bendtorch.laws.proofs.plain import plain_kernels


class IndexFault(NamedTuple):
    """An edit of a function of a kernel module, how the theorem begins whose proof must fail, what that must say."""

    module: str
    function: str
    old: str
    new: str
    theorem: str
    says: str


def planted(fault: IndexFault) -> Any:
    """The index functions, one of them with its fault."""
    source = inspect.getsource(importlib.import_module(f"bendtorch.kernels.{fault.module}"))
    assert fault.old in source
    wrong = ast.parse(source.replace(fault.old, fault.new))
    (function,) = (node for node in wrong.body if isinstance(node, ast.FunctionDef) and node.name == fault.function)
    function.decorator_list = []
    of = plain_kernels()
    exec(
        compile(ast.Module([function], []), "<an index function with a fault>", "exec"), vars(getattr(of, fault.module))
    )
    return of


def faults(*them: IndexFault) -> pytest.MarkDecorator:
    """A test of each of these faults."""
    return pytest.mark.parametrize("fault", them, ids=lambda fault: f"{fault.function}: {fault.new}")


def check_refuted(fault: IndexFault, theorems: tuple[SizeTheorem, ...]) -> None:
    """The proof of the theorem fails, and says for which numbers."""
    of = planted(fault)
    verdicts = [theorem.verdict(of) for theorem in theorems if str(theorem).startswith(fault.theorem)]
    refuted = [str(verdict) for verdict in verdicts if not verdict.proved]
    assert any(fault.says in text for text in refuted), "\n".join(refuted) or "every proof still holds"
