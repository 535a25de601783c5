"""What a row of the benchmark is, and where rows come from.

A module of this package with a function `rows()` is a family: its rows are what that function yields. A new family is a
new file. A row is cheap until it is run: `prepare` makes the arrays and models.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import reference.bench

Call: TypeAlias = Callable[[], object]

OURS = "ours"


@dataclass(frozen=True, slots=True)
class Contest:
    """Calls that do the same work: ours, and those of one or more rivals by name."""

    ours: Call
    rivals: Mapping[str, Call]

    def calls(self) -> dict[str, Call]:
        """All of them, ours first."""
        return {OURS: self.ours, **self.rivals}


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work.

    `flops` is the arithmetic that the problem needs, and `traffic` the bytes that must come from or go to memory when
    nothing of it is in a cache: every input once, every result once. Both are the problem's own, the same for all
    sides; 0 where the figure says nothing. `whole_process` marks calls that start processes or write files: these
    take seconds, so they are repeated less, and once for all numbers of threads. A `long` row is left out by --quick.
    """

    name: str
    prepare: Callable[[], Contest]
    flops: float = 0
    traffic: float = 0
    whole_process: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """The rows of one file."""

    name: str
    rows: tuple[Row, ...]


def families() -> Iterator[Family]:
    """All families, in the order of their files' names."""
    for found in pkgutil.iter_modules(reference.bench.__path__):
        if found.name.startswith("__"):
            continue
        module = importlib.import_module(f"{reference.bench.__name__}.{found.name}")
        if inspect.isfunction(getattr(module, "rows", None)):
            yield Family(found.name, tuple(module.rows()))


def select(among: Iterator[Family], patterns: Sequence[str]) -> Iterator[Family]:
    """The rows whose `family/name` contains one of the patterns; all of them without patterns."""
    for family in among:
        chosen = tuple(row for row in family.rows if matches(f"{family.name}/{row.name}", patterns))
        if chosen:
            yield Family(family.name, chosen)


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether a row's path contains one of the patterns, upper and lower case alike."""
    return not patterns or any(pattern.lower() in path.lower() for pattern in patterns)
