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


def named(module: str, name: str) -> Any:
    """What has this name in a module, or in a class of it."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found).get(part)
    return found


def living(module: str, name: str) -> Any:
    """The function (or method, or property, whether its results are kept or not); None where it is nothing of them."""
    found = named(module, name)
    if isinstance(found, property):
        found = found.fget
    found = inspect.unwrap(getattr(found, "func", found))
    return found if inspect.isfunction(found) else None


def plant(edit: Edit, tree: ast.Module) -> None:
    """Give the living function the code with the fault."""
    code: Any = compile(applied(edit, tree), sys.modules[edit.module].__file__ or "", "exec")
    for name in edit.function.split("."):
        code = next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)
    living(edit.module, edit.function).__code__ = code
    forget = getattr(named(edit.module, edit.function), "cache_clear", None)
    if forget is not None:
        forget()


def lines_run_by(subjects: Mapping[str, Callable[[], object]], package: str) -> dict[tuple[str, int], list[str]]:
    """For each line of a package, as its file and number, the subjects that run it."""
    seen: dict[tuple[str, int], list[str]] = {}
    for name, run in subjects.items():
        own: set[tuple[str, int]] = set()

        def note(frame: FrameType, event: str, argument: Any, own: set[tuple[str, int]] = own) -> Any:
            if not frame.f_code.co_filename.startswith(package):
                return None
            own.add((frame.f_code.co_filename, frame.f_lineno))
            return note

        sys.settrace(note)
        try:
            run()
        finally:
            sys.settrace(None)
        for line in own:
            seen.setdefault(line, []).append(name)
    return seen
