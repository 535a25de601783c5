"""Targets of commands: `module:name`, or a file's path in place of the module, with sizes or without."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from bendtorch.errors import ConfigError
from bendtorch.layer.protocol import Layer

AnyLayer = Layer[Any, Any, Any, Any]
Made = TypeVar("Made")

TARGET: Final = re.compile(r"(?P<module>.+):(?P<name>[A-Za-z_]\w*)(?:\((?P<sizes>[^()]*)\))?", re.DOTALL)
SIZES: Final = re.compile(r"\s*(?:\d{1,18}\s*,\s*)*(?:\d{1,18}\s*)?")
# Frames of these files say nothing about a user's code.
OURS: Final = (str(Path(__file__).parents[1]), str(Path(importlib.__file__).parent), "<frozen")


def find_layer(target: str) -> AnyLayer:
    """The layer that a target names; a function that builds one is called with the target's sizes, or 1 for each.

    Raises `ConfigError` when it cannot be found, is not a layer, or fails: then it says whether the module or the
    function did.
    """
    found, name, sizes = find_object(target)
    if callable(found) and not isinstance(found, Layer):
        found = called(found, name, _sizes(found, name, sizes))
    if not isinstance(found, Layer):
        raise ConfigError(f"{target} is a {type(found).__name__}, not a layer")
    return found


def find_object(target: str) -> tuple[Any, str, str | None]:
    """What a target names, its name, and the sizes behind it where there are any."""
    parts = TARGET.fullmatch(target)
    if parts is None or not SIZES.fullmatch(parts["sizes"] or ""):
        raise ConfigError(f"expected module:name or module:name(sizes), got {target!r}")
    found = getattr(_module(parts["module"]), parts["name"], None)
    if found is None:
        raise ConfigError(f"module {parts['module']} has no {parts['name']!r}")
    return found, parts["name"], parts["sizes"]


def find_maker(target: str) -> Any:
    """What a target names, to check laws on: a function is kept, to be called with many sizes, but for those given."""
    found, name, sizes = find_object(target)
    return found if sizes is None else called(found, name, _sizes(found, name, sizes))


def called(build: Callable[..., Any], name: str, sizes: list[int]) -> Any:
    """What a function builds."""
    return run(f"{name}({', '.join(map(str, sizes))}) failed", lambda: build(*sizes))


def _module(name: str) -> ModuleType:
    """A module by its name or its file's path, looked up from the working directory too."""
    look_in(Path.cwd())
    is_path = name.endswith(".py") or "/" in name
    return run(f"cannot import {name}", lambda: _load(name) if is_path else importlib.import_module(name))


def _load(path: str) -> ModuleType:
    """The module in a file, under the name that it has when it is imported from the working directory."""
    file = Path(path if path.endswith(".py") else f"{path}.py").resolve()
    if not file.is_file():
        raise ImportError(f"no such file: {file}")
    inside = file.is_relative_to(Path.cwd())
    if not inside:
        look_in(file.parent)  # as Python does for a script: its neighbours can be imported
    parts = file.relative_to(Path.cwd()).with_suffix("").parts if inside else (file.stem,)
    name = ".".join(parts) if all(map(str.isidentifier, parts)) else file.stem
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(file):
        return loaded
    return _execute(name, file)


def _execute(name: str, file: Path) -> ModuleType:
    """A file run as the module `name`."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def look_in(directory: Path) -> None:
    """Let imports find what lies in a directory."""
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def run(failing: str, user_code: Callable[[], Made]) -> Made:
    """What a user's code gives; whatever it raises becomes an error of the command, with the place in that code."""
    try:
        return user_code()
    except ImportError as problem:
        raise ConfigError(f"{failing} ({problem})") from problem
    except (Exception, SystemExit) as problem:
        where = [f for f in traceback.extract_tb(problem.__traceback__) if not f.filename.startswith(OURS)]
        place = f", {where[-1].filename}:{where[-1].lineno}" if where else ""
        raise ConfigError(f"{failing} ({type(problem).__name__}: {problem}{place})") from problem


def _sizes(function: Callable[..., Any], name: str, given: str | None) -> list[int]:
    """The sizes to call a function with: those given, or 1 for each that it needs."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise ConfigError(f"{name} does not say which sizes it takes; name a function that does") from None
    needed = [p for p in signature.parameters.values() if p.default is p.empty]
    by_name = [p.name for p in needed if p.kind is p.KEYWORD_ONLY]
    if by_name:
        raise ConfigError(f"{name} wants {', '.join(by_name)} by name; name a function that takes sizes by position")
    in_order = [p for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    sizes = [1] * len(in_order) if given is None else [int(size) for size in given.split(",") if size.strip()]
    try:
        signature.bind(*sizes)
    except TypeError as problem:
        takes = ", ".join(signature.parameters)
        raise ConfigError(f"{name} takes ({takes}), but {len(sizes)} sizes were given ({problem})") from None
    return sizes
