"""Checks of what operations on a tape are given. A message names the operation and the shapes."""

from __future__ import annotations

import math
import operator
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes.guard import F32, refuse_masked

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]

LARGEST: Final = float(np.finfo(np.float32).max)


def guard_array(x: Any, operation: str, argument: str, shape: tuple[int, ...] | None = None) -> Array:
    """`x` when it is a float32 array, of `shape` where one is said; a copy in C order where it is laid out otherwise.

    An array that is not writable is copied too, as `guard_mat` does.
    """
    if not (type(x) is np.ndarray and (x.dtype is F32 or x.dtype == F32) and x.flags.carray):
        x = _converted(x, operation, argument)
    if shape is not None and x.shape != shape:
        raise ShapeError(f"{operation}: {argument} must have the shape {list(shape)}, got {list(x.shape)}")
    array: Array = x
    return array


def _converted(x: Any, operation: str, argument: str) -> Array:
    if not isinstance(x, (np.ndarray, np.float32)):
        raise DtypeError(f"{operation}: {argument} must be a float32 numpy array, got {type(x).__name__}")
    if x.dtype != F32:
        raise DtypeError(
            f"{operation}: {argument} must be float32 in native byte order, got {x.dtype.str} ({x.dtype});"
            " convert it with .astype(np.float32)"
        )
    refuse_masked(x, operation, argument)
    array: Array = np.array(x, dtype=np.float32, order="C", subok=False)
    return array


def guard_number(x: Any, operation: str, argument: str) -> float:
    """A number that float32 holds, or rounds to one that is finite."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise DtypeError(f"{operation}: {argument} must be a Var, a float32 array or a number, got {type(x).__name__}")
    if -math.inf < x < -LARGEST or LARGEST < x < math.inf:
        raise DtypeError(f"{operation}: {argument} is {x}, which is beyond the range of float32")
    return float(x)


def guard_shape(shape: Any, operation: str) -> tuple[int, ...]:
    """A shape given as a sequence of sizes, or as one size."""
    try:
        sizes = tuple(operator.index(size) for size in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        raise DtypeError(f"{operation}: a shape is a tuple of ints, got {shape!r}") from None
    if any(size < 0 for size in sizes):
        raise ShapeError(f"{operation}: sizes must be at least 0, got {list(sizes)}")
    return sizes


def guard_axis(axis: Any, rank: int, operation: str) -> int:
    """An axis from 0 on; a negative one counts from the end."""
    try:
        number = operator.index(axis)
    except TypeError:
        raise DtypeError(f"{operation}: axis must be an int, got {axis!r}") from None
    if not -rank <= number < rank:
        raise ShapeError(f"{operation}: axis {number} of an array of {rank} axes; they go from {-rank} to {rank - 1}")
    return number % rank
