"""A fault inside of a hook is reported where it happened; mypy goes on.

Left alone, an exception in a plugin ends mypy with INTERNAL ERROR, at no place that helps the user. Every hook of the
plugin runs under this one wrapper: what the fault touched is reported as an error (code `bend-fault`, so that it can be
silenced there), and mypy's own answer stands in.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, TypeVar

from mypy.errors import CompileError
from mypy.plugin import (
    AttributeContext,
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
)
from mypy.types import FunctionLike, Type

from bendtorch.mypy_plugin.vocabulary import BEND_FAULT

Context = TypeVar("Context")
Answer = TypeVar("Answer", bound=Type)

PASS_ON: Final = (CompileError,)
"""Exceptions by which mypy itself ends a run."""


def guarded(
    hook: Callable[[Context], Answer], kind: str, otherwise: Callable[[Context], Type] | None = None
) -> Callable[[Context], Any]:
    """The hook, with its faults reported instead of raised. `otherwise` answers after one, if the context cannot."""

    def run(context: Context) -> Any:
        try:
            return hook(context)
        except PASS_ON:
            raise
        except Exception as fault:
            _report(context, kind, fault)
            return _own_answer(context) if otherwise is None else otherwise(context)

    return run


def describe(kind: str, fault: BaseException) -> str:
    """One line that says what went wrong, and where in the plugin."""
    frames = traceback.extract_tb(fault.__traceback__)
    where = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = " ".join(f"{type(fault).__name__}: {fault}".split())
    return f"bendtorch plugin: a fault in the {kind} hook{where} ({text}); sizes here are not checked, please report it"


def _report(context: object, kind: str, fault: Exception) -> None:
    place, api = getattr(context, "context", None), getattr(context, "api", None)
    if place is not None and api is not None:
        with _unfiltered(getattr(getattr(api, "msg", None), "errors", None)):
            api.fail(describe(kind, fault), place, code=BEND_FAULT)


@contextmanager
def _unfiltered(errors: object) -> Iterator[None]:
    """No error is held back meanwhile: while mypy tries the variants of an overload, it takes errors for "no match"."""
    watchers = getattr(errors, "_watchers", [])
    kept = list(watchers)
    watchers.clear()
    try:
        yield
    finally:
        watchers.extend(kept)


def _own_answer(context: object) -> Type | FunctionLike:
    """What mypy would have said without the plugin."""
    match context:
        case FunctionSigContext() | MethodSigContext():
            return context.default_signature
        case FunctionContext() | MethodContext():
            return context.default_return_type
        case AttributeContext():
            return context.default_attr_type
    raise TypeError(f"no answer for {type(context).__name__}")
