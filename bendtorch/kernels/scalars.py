"""Kernels from users' functions of one number or of two.

A function is compiled when a layer is built from it, so a function that cannot be compiled is an error there. Building
the same layer again, for another batch size, compiles nothing: two functions are the same when they have the same code,
globals, defaults, and values that they close over. What a function finds in its globals is fixed when it is compiled.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from numba import types

from bendtorch.errors import ConfigError
from bendtorch.kernels.compile import JIT, helper
from bendtorch.kernels.mapping import Map, Zip, mapped, zipped

KEPT: Final = 256  # functions
POSSIBLE: Final = (
    "it may use arithmetic, comparisons, `math`, numpy's functions of numbers, those of bendtorch.kernels.vecmath,"
    " and functions that numba.njit compiled"
)
NUMBERS: Final = (bool, int, float, str, np.generic)


@dataclass(frozen=True)
class _Source:
    """A function, equal to every function that would compile to the same kernel."""

    function: Any = field(compare=False)
    held: tuple[Any, ...] = field(compare=False)  # so that no other object gets the identity of one of them
    identity: tuple[Any, ...]


def _source(function: Any) -> _Source:
    plain = _plain(function)
    cells = tuple(cell.cell_contents for cell in plain.__closure__ or ())
    held = (*cells, *(plain.__defaults__ or ()))
    values = tuple((type(v), repr(v)) if isinstance(v, NUMBERS) else (type(v), id(v)) for v in held)
    return _Source(function, held, (function is plain, plain.__code__, id(plain.__globals__), values))


def _plain(function: Any) -> Any:
    """The Python function in what numba compiled."""
    return getattr(function, "py_func", function)


def map_of(function: Callable[[Any], Any], name: str) -> Map:
    """`mapped` of a user's function; `name` says in errors which one it is.

    Raises `ConfigError` when it is not a function of one number, or cannot be compiled.
    """
    _require_function(function, 1, name)
    return cast("Map", _guarded(_mapped(_source(function), name), function, name))


def zip_of(function: Callable[[Any, Any], Any], name: str) -> Zip:
    """`zipped` of a user's function; raises as `map_of` does."""
    _require_function(function, 2, name)
    return cast("Zip", _guarded(_zipped(_source(function), name), function, name))


@functools.lru_cache(KEPT)
def _mapped(source: _Source, name: str) -> Map:
    return mapped(_compiled(source.function, 1, name))


@functools.lru_cache(KEPT)
def _zipped(source: _Source, name: str) -> Zip:
    return zipped(_compiled(source.function, 2, name))


def _require_function(function: Any, count: int, name: str) -> None:
    """Refuse what is not a Python function of `count` numbers."""
    numbers = "one number" if count == 1 else "two numbers"
    plain = _plain(function)
    if not inspect.isfunction(plain):
        raise ConfigError(
            f"{name} must be a Python function of {numbers}, got {type(function).__name__} {function!r};"
            f" put it into one: lambda {'a' if count == 1 else 'a, b'}: ..."
        )
    try:
        inspect.signature(plain).bind(*[0.0] * count)
    except TypeError as error:
        raise ConfigError(f"{name}, {_described(plain)}, must take {numbers}: {error}") from error


def _described(plain: Any) -> str:
    return f"the function {plain.__qualname__} ({plain.__code__.co_filename}:{plain.__code__.co_firstlineno})"


def _compiled(function: Any, count: int, name: str) -> Any:
    """The function, made ready to be inlined, after a look at what it gives for float32 numbers."""
    made: Any = function if function is not _plain(function) else helper(function)
    try:
        given, is_number = _result_type(made, count)
    except Exception as error:  # whatever numba raises
        where = _described(_plain(function))
        raise ConfigError(f"{name}, {where}, cannot be compiled: {_reason(error)}; {POSSIBLE}") from error
    if not is_number:
        raise ConfigError(f"{name}, {_described(_plain(function))}, must give a number, gives {given}")
    return made


def _result_type(made: Any, count: int) -> tuple[str, bool]:
    """The name of the type of what a function gives, and whether that is a number. With the JIT off it is tried."""
    if not JIT:
        with np.errstate(all="ignore"):
            result = made(*[np.float32(0.5)] * count)
        return type(result).__name__, isinstance(result, (bool, int, float, np.number, np.bool_))
    _, _, signature, _ = made.get_call_template((types.float32,) * count, {})  # compiles; fills in defaults
    given = made.overloads[tuple(signature)].signature.return_type
    return str(given), isinstance(given, (types.Float, types.Integer, types.Boolean))


def _reason(error: Exception) -> str:
    """The part of numba's message that says what is wrong."""
    lines = []
    for line in map(str.strip, str(error).splitlines()):
        if line.startswith(("File ", "During: ", "There are ")):
            break
        if line and not line.startswith("Failed in "):
            lines.append(line.removeprefix(">>> "))
    return " ".join(lines).rstrip(".") or type(error).__name__


def _guarded(run: Any, function: Any, name: str) -> Any:
    """The kernel, with an exception of the function's own named as that."""
    where = _described(_plain(function))

    def guarded(*arrays: Any) -> None:
        try:
            run(*arrays)
        except MemoryError as error:
            raise ConfigError(f"{name}, {where}, raised an exception for one of the numbers") from error

    return guarded
