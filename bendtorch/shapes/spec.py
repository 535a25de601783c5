"""Shapes as values: what a layer takes, gives and saves, for errors, summaries and checks at composition.

A `Spec` mirrors the type of a value: an `ArraySpec` for one array, a tuple of specs for a tuple of values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from bendtorch.errors import ShapeError


@dataclass(frozen=True)
class ArraySpec:
    """One array: its kind as users write it (`Mat`, `Ids`, `Places`), its sizes, and the bytes of one element.

    `below` is the bound of ids and places, where it is known: they go from 0 to below - 1. Specs are equal whatever
    it is.
    """

    kind: str
    shape: tuple[int, ...]
    itemsize: int = 4
    below: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.kind}[{', '.join(map(str, self.shape))}]"


Spec: TypeAlias = ArraySpec | tuple["Spec", ...]


def mat_spec(rows: int, columns: int) -> ArraySpec:
    """The spec of a `Mat[rows, columns]`."""
    return ArraySpec("Mat", (rows, columns))


def ids_spec(count: int, below: int | None = None) -> ArraySpec:
    """The spec of an `Ids[count]` of ids from 0 to below - 1, counted at its larger width (int64)."""
    return ArraySpec("Ids", (count,), 8, below)


def places_spec(rows: int, columns: int, below: int) -> ArraySpec:
    """The spec of a `Places[rows, columns]` of places from 0 to below - 1."""
    return ArraySpec("Places", (rows, columns), 4, below)


def show_spec(spec: Spec | None) -> str:
    """A spec as a user writes the type; `?` where it is not known."""
    if spec is None:
        return "?"
    if isinstance(spec, ArraySpec):
        return str(spec)
    return f"tuple[{', '.join(map(show_spec, spec)) or '()'}]"


def spec_bytes(spec: Spec | None) -> int:
    """The bytes that the arrays of a spec take."""
    if spec is None:
        return 0
    if isinstance(spec, ArraySpec):
        return math.prod(spec.shape) * spec.itemsize
    return sum(map(spec_bytes, spec))


def check_sizes(layer: str, /, *, rows: tuple[str, ...] = ("n", "m"), **sizes: int) -> None:
    """Refuse sizes that no layer can have: the numbers of rows are at least 0, all others at least 1."""
    for name, size in sizes.items():
        least = 0 if name in rows else 1
        if isinstance(size, bool) or not isinstance(size, int):
            hint = f"; convert it with int({name})" if isinstance(size, np.integer) else ""
            raise ShapeError(f"{layer}: size {name} must be an int, got {type(size).__name__} {size!r}{hint}")
        if size < least:
            raise ShapeError(f"{layer}: size {name} must be at least {least}, got {size}")
