"""Batches of a data set, in an order that a key decides.

The order of an epoch is a function of the key and the epoch's number alone, so a run that is stopped and resumed sees
the same batches. The last batch of an epoch is short where the size does not divide the data; nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, overload

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, I, M
from bendtorch.shapes.guard import F32, INDEX

X = TypeVar("X")
Target = TypeVar("Target")

TYPES: Final = (F32, *INDEX)


@dataclass(frozen=True, slots=True)
class Batch(Generic[X, Target]):
    """`n` examples: their inputs and their targets."""

    n: int
    x: X
    target: Target


@dataclass(frozen=True)
class Batches(Generic[X, Target]):
    """A data set that is handed out in batches of `size` examples; made by `batches`."""

    x: X
    target: Target
    count: int
    size: int
    key: Key | None

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return (self.count + self.size - 1) // self.size

    def epoch(self, number: int) -> Iterator[Batch[X, Target]]:
        """The batches of one epoch, counted from 0."""
        order = np.arange(self.count) if self.key is None else self.key.fold(number).permutation(self.count)
        x: Any = self.x
        target: Any = self.target
        for start in range(0, self.count, self.size):
            rows = order[start : start + self.size]
            yield Batch(len(rows), x[rows], target[rows])


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
    for name, array in (("x", x), ("target", target)):
        if not isinstance(array, np.ndarray):
            raise DtypeError(
                f"batches: {name} must be a numpy array, got {type(array).__name__}; see mat(...) and ids(...)"
            )
        if array.dtype not in TYPES:
            to = "int64" if array.dtype.kind in "iu" else "float32"
            raise DtypeError(
                f"batches: {name} must be float32, int32 or int64, got {array.dtype}; "
                f"convert it with {name}.astype(np.{to})"
            )
    if isinstance(size, bool) or not isinstance(size, int):
        raise ConfigError(f"batches: size must be an int of at least 1, got {size!r}")
    if key is not None and not isinstance(key, Key):
        raise ConfigError(f"batches: key must be a Key, such as Key(0), got {key!r}")
    if len(x) != len(target):
        raise ShapeError(f"batches: x has {len(x)} rows, target has {len(target)} labels")
    if len(x) == 0:
        raise ShapeError("batches: the data set is empty")
    if size < 1:
        raise ConfigError(f"batches: size must be at least 1, got {size}")
    return Batches(x, target, len(x), size, key)
