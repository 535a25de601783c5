"""Nests: the arrays inside of what layers take, give and hold, whatever they are wrapped in."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def arrays_in(value: Any) -> list[Array]:
    """The arrays in tuples, lists, dicts and records (dataclasses, classes with slots), in order."""
    if isinstance(value, np.ndarray):
        return [value]
    return [array for _, part in _parts(value) for array in arrays_in(part)]


def named(value: Any, name: str = "") -> list[tuple[str, Array]]:
    """The arrays in a nest under the names that reach them from `name`: `dp.weight`, `dx[1][0]`."""
    if isinstance(value, np.ndarray):
        return [(name, value)]
    record = not isinstance(value, (tuple, list, dict)) or hasattr(value, "_fields")
    fields = getattr(value, "_fields", None)
    found = []
    for key, part in _parts(value):
        field = fields[key] if fields else key
        found += named(part, f"{name}.{field}" if record else f"{name}[{field!r}]")
    return found


def floats_in(value: Any) -> list[Array]:
    """The arrays of numbers in a nest: ids and counters have no gradient, only something in its place."""
    return [array for array in arrays_in(value) if array.dtype.kind == "f"]


def mapped(change: Callable[[Array], Any], value: Any) -> Any:
    """A nest of the same kind, with `change` applied to each array."""
    if isinstance(value, np.ndarray):
        return change(value)
    parts = [(name, mapped(change, part)) for name, part in _parts(value)]
    if isinstance(value, (tuple, list)):
        kind: Any = type(value)
        values = [part for _, part in parts]
        return kind(*values) if hasattr(value, "_fields") else kind(values)
    if isinstance(value, dict):
        return dict(parts)
    if not parts:
        return value
    other = copy.copy(value)
    for name, part in parts:
        object.__setattr__(other, name, part)  # a frozen record too
    return other


def rebuilt(value: Any, arrays: list[Any]) -> Any:
    """A nest like `value` of other arrays."""
    others = iter(arrays)
    return mapped(lambda _: next(others), value)


def replaced(value: Any, place: int, array: Any) -> Any:
    """A nest with another array in the place of its array number `place`."""
    arrays: list[Any] = [*arrays_in(value)]
    arrays[place] = array
    return rebuilt(value, arrays)


def shown(value: Any) -> str:
    """What a nest is made of: `(float32[2, 3], int64[2])`."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    inside = ", ".join(shown(part) for _, part in _parts(value))
    return f"{type(value).__name__}({inside})" if inside else type(value).__name__


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """What is inside of a value that is no array, with the names it goes by."""
    if isinstance(value, (tuple, list)):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()
    elif not isinstance(value, type):
        kind: Any = type(value)
        for name in _names(kind):
            yield name, getattr(value, name)


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...]:
    """The names of a record's fields."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    slots = getattr(kind, "__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
