"""Checks of the operations' arguments. Sizes come with the arrays here, so what is checked is whether they agree."""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from bendtorch.kernels.labels import first_outside
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, N
from bendtorch.shapes.guard import F32, guard_ids, guard_mat

Number: TypeAlias = float | np.floating[Any]

ROWS: Final = 0
COLUMNS: Final = 1
AXES: Final = ("rows", "columns")
LARGEST: Final = float(np.finfo(np.float32).max)


def operand(x: Mat[N, C], operation: str, argument: str) -> Mat[N, C]:
    """`x` when it is a float32 matrix of any sizes, in C order; raises `DtypeError` or `ShapeError`."""
    if isinstance(x, np.ndarray):
        if x.ndim == 2 or x.dtype != F32:
            return guard_mat(x, x.shape, operation, argument)
        raise ShapeError(f"{operation}: {argument} must be a matrix (two axes), got an array of shape {list(x.shape)}")
    raise DtypeError(f"{operation}: {argument} must be a float32 numpy array, got {type(x).__name__}")


def operands(a: Mat[N, C], b: Mat[N, C], operation: str) -> tuple[Mat[N, C], Mat[N, C]]:
    """Two matrices of one shape."""
    a = operand(a, operation, "a")
    return a, guard_mat(b, a.shape, operation, "b")


def require_equal(operation: str, a: Mat[Any, Any], axis: int, b: Mat[Any, Any], other: int) -> None:
    """Refuse a `b` whose size along `other` is not that of `a` along `axis`."""
    if a.shape[axis] != b.shape[other]:
        raise ShapeError(
            f"{operation}: b must have {a.shape[axis]} {AXES[other]}, as many as a has {AXES[axis]}, "
            f"got Mat{list(b.shape)} (a is Mat{list(a.shape)})"
        )


def require_bounds(operation: str, start: int, stop: int, x: Mat[Any, Any], axis: int) -> None:
    """Refuse bounds that do not lie in order within the axis."""
    size = x.shape[axis]
    for name, bound in (("start", start), ("stop", stop)):
        require_whole(operation, name, bound)
    if not 0 <= start <= stop <= size:
        raise ShapeError(
            f"{operation}: start and stop must be in order between 0 and {size}, the {AXES[axis]} of x, "
            f"got {start} and {stop}"
        )


def require_sizes(operation: str, **sizes: int) -> None:
    """Refuse sizes that no matrix has."""
    for name, size in sizes.items():
        require_whole(operation, name, size)
        if size < 0:
            raise ShapeError(f"{operation}: size {name} must be at least 0, got {size}")


def require_whole(operation: str, name: str, value: int) -> None:
    """Refuse what is no int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ShapeError(f"{operation}: {name} must be an int, got {type(value).__name__} {value!r}")


def number(value: Number, operation: str, argument: str) -> np.float32:
    """A number as the nearest float32; a finite one beyond its range is refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DtypeError(f"{operation}: {argument} must be a number, got {type(value).__name__}")
    if -math.inf < value < -LARGEST or LARGEST < value < math.inf:
        raise DtypeError(f"{operation}: {argument} is {value}, which is beyond the range of float32")
    return np.float32(value)


def guard_positions(ids: Ids[N], bound: int, operation: str) -> Ids[N]:
    """`ids` as int64 when it is a vector of numbers from 0 to `bound` - 1; raises as a layer does for its ids."""
    if isinstance(ids, np.ndarray) and ids.ndim != 1:
        raise ShapeError(f"{operation}: ids must be a vector (one axis), got an array of shape {list(ids.shape)}")
    checked = guard_ids(ids, len(ids) if isinstance(ids, np.ndarray) else 0, operation, "ids")
    wrong = first_outside(checked, bound, 0)
    if wrong >= 0:
        raise IndexRangeError(f"{operation}: ids[{wrong}] is {checked[wrong]}, ids go from 0 to {bound - 1}")
    return checked
