"""The living functions: which of them a check of laws runs, and how one gets the code of a fault."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from laws.mutants.edits import Edit, applied


def living(module: str, name: str) -> Any:
    """The function (or method, or property) of this name; None where it is nothing of the kind."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found).get(part)
    if isinstance(found, property):
        found = found.fget
    return found if inspect.isfunction(found) else None


def plant(edit: Edit, tree: ast.Module) -> None:
    """Give the living function the code with the fault."""
    code: Any = compile(applied(edit, tree), sys.modules[edit.module].__file__ or "", "exec")
    for name in edit.function.split("."):
        code = next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)
    living(edit.module, edit.function).__code__ = code


def run_by(subjects: Mapping[str, Callable[[], object]]) -> dict[CodeType, list[str]]:
    """For each function, the subjects that run it."""
    seen: dict[CodeType, list[str]] = {}
    for name, run in subjects.items():
        own: set[CodeType] = set()

        def note(frame: FrameType, event: str, argument: Any, own: set[CodeType] = own) -> None:
            own.add(frame.f_code)

        sys.settrace(note)
        try:
            run()
        finally:
            sys.settrace(None)
        for code in own:
            seen.setdefault(code, []).append(name)
    return seen
