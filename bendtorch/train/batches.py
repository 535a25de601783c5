"""Batches of a data set, in an order that a key decides.

The order of an epoch is a function of the key and the epoch's number alone, so a run that is stopped and resumed sees
the same batches. The last batch of an epoch is short where the size does not divide the data; nothing is dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar, overload

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, I, M
from bendtorch.shapes.guard import F32, INDEX

X = TypeVar("X")
Target = TypeVar("Target")

TYPES: Final = (F32, *INDEX)

Numbers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
"""The numbers of some examples, each below their count."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[X, Target]):
    """`n` examples: their inputs and their targets."""

    n: int
    x: X
    target: Target


@dataclass(frozen=True)
class Batches(ABC, Generic[X, Target]):
    """A data set of `count` examples that is handed out in batches of `size`; made by `batches` and `windows`.

    One of your own is a subclass that says in `take` what its examples are: read from a file, made up, turned and cut.
    """

    count: int
    size: int
    key: Key | None

    unit: ClassVar[str] = "examples"  # what progress is measured in

    @property
    def units(self) -> int:
        """How many of its units an example is: of a text, the tokens of a window."""
        return 1

    @abstractmethod
    def take(self, epoch: int, rows: Numbers) -> tuple[X, Target]:
        """Some examples of an epoch by their numbers, below `count`: the inputs, and the targets.

        It must be a function of its arguments alone: a run that is resumed asks again.
        """

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return (self.count + self.size - 1) // self.size

    def epoch(self, number: int) -> Iterator[Batch[X, Target]]:
        """The batches of one epoch, counted from 0."""
        order = np.arange(self.count) if self.key is None else self.key.fold(number).permutation(self.count)
        for start in range(0, self.count, self.size):
            rows = order[start : start + self.size]
            yield Batch(len(rows), *self.take(number, rows))

    def __str__(self) -> str:
        """What a run must be given again, in words."""
        return f"{self.count} {self.unit} in batches of {self.size}, key {self.key}"


@dataclass(frozen=True)
class Pairs(Batches[X, Target]):
    """The rows of two arrays; made by `batches`."""

    x: Any
    target: Any

    def take(self, epoch: int, rows: Numbers) -> tuple[X, Target]:
        """The rows, copied."""
        return self.x[rows], self.target[rows]


@overload
def batches(x: Mat[M, I], target: Ids[M], size: int, key: Key | None = None) -> Batches[Mat[int, I], Ids[int]]: ...
@overload
def batches(
    x: Mat[M, I], target: Mat[M, C], size: int, key: Key | None = None
) -> Batches[Mat[int, I], Mat[int, C]]: ...
@overload
def batches(x: Ids[M], target: Ids[M], size: int, key: Key | None = None) -> Batches[Ids[int], Ids[int]]: ...
@overload
def batches(x: Ids[M], target: Mat[M, C], size: int, key: Key | None = None) -> Batches[Ids[int], Mat[int, C]]: ...
def batches(x: Any, target: Any, size: int, key: Key | None = None) -> Batches[Any, Any]:
    """The rows of `x`, a matrix or ids, with their targets, in batches of `size`; shuffled anew each epoch with a key.

    A batch has any number of rows up to `size`, so its type is `Mat[int, I]`. Raises `ShapeError` when `x` and `target`
    have different lengths or none, `DtypeError` for other types than float32, int32 and int64, and `ConfigError` for a
    size below 1.
    """
    expect_array("batches", "x", x, TYPES)
    expect_array("batches", "target", target, TYPES)
    expect_size_and_key("batches", size, key)
    if len(x) != len(target):
        raise ShapeError(f"batches: x has {len(x)} rows, target has {len(target)} labels")
    if len(x) == 0:
        raise ShapeError("batches: the data set is empty")
    return Pairs(len(x), size, key, x, target)


def expect_size_and_key(caller: str, size: object, key: object) -> None:
    """Refuse a size of batches that is none, and what is no key."""
    if isinstance(size, bool) or not isinstance(size, int):
        raise ConfigError(f"{caller}: size must be an int of at least 1, got {size!r}")
    if size < 1:
        raise ConfigError(f"{caller}: size must be at least 1, got {size}")
    if key is not None and not isinstance(key, Key):
        raise ConfigError(f"{caller}: key must be a Key, such as Key(0), got {key!r}")


def expect_array(caller: str, name: str, array: object, types: tuple[np.dtype[Any], ...]) -> None:
    """Refuse what is no array, or one of other numbers."""
    if not isinstance(array, np.ndarray):
        raise DtypeError(
            f"{caller}: {name} must be a numpy array, got {type(array).__name__}; see mat(...) and ids(...)"
        )
    if array.dtype not in types:
        to = "int64" if array.dtype.kind in "iu" or F32 not in types else "float32"
        *others, last = sorted(map(str, types))
        raise DtypeError(
            f"{caller}: {name} must be {', '.join(others)} or {last}, got {array.dtype}; "
            f"convert it with {name}.astype(np.{to})"
        )
