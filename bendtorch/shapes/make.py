"""Checked constructors for users' data: an array, once accepted, has the shape that its type says."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_ids, guard_mat, refuse_masked


def mat(n: Dim[N], c: Dim[C], data: Any) -> Mat[N, C]:
    """`data` as a float32 matrix of `n` rows and `c` columns.

    A float32 array is taken as it is (copied only where its memory is not in C order); numbers in lists are rounded to
    float32. `DtypeError` is raised for an array of another type, also inside of a list: it is never converted silently;
    and for what is no number, or a finite one too large for float32. Other sizes raise `ShapeError`.
    """
    if isinstance(data, (list, tuple)):
        data = _floats(data)
    return cast("Mat[N, C]", guard_mat(data, (n, c), "mat", "data"))


def ids(n: Dim[N], data: Any) -> Ids[N]:
    """`data` as a vector of `n` ids or labels (int32 or int64); whole numbers in a list become int64.

    Raises `DtypeError` for an array of another type, and for what is no whole number of int64; `ShapeError` for another
    length.
    """
    if isinstance(data, (list, tuple)):
        data = _whole_numbers(data)
    return cast("Ids[N]", guard_ids(data, n, "ids", "data"))


def _floats(data: list[Any] | tuple[Any, ...]) -> Any:
    """Nested lists of numbers as a float32 array."""
    wanted = "mat: data must be float32 numbers"
    for item in _items(data, "mat"):
        _require(item, (int, float, np.integer, np.floating), ("float32",), wanted)
    exact = _array("mat", data, np.float64, wanted)
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    lost = exact[np.isinf(rounded) & np.isfinite(exact)]
    if lost.size:
        raise DtypeError(f"{wanted}, got {lost[0]}, which is beyond their range")
    return rounded


def _whole_numbers(data: list[Any] | tuple[Any, ...]) -> Any:
    """Nested lists of whole numbers as an int64 array."""
    wanted = "ids: data must be int32 or int64 numbers"
    for item in _items(data, "ids"):
        _require(item, (int, np.integer), ("int32", "int64"), wanted)
    return _array("ids", data, np.int64, wanted)


def _items(data: list[Any] | tuple[Any, ...], name: str) -> Iterator[Any]:
    """What stands in nested lists."""
    for item in data:
        if isinstance(item, (list, tuple)):
            yield from _items(item, name)
        else:
            refuse_masked(item, name, "data")
            yield item


def _require(item: Any, kinds: tuple[type, ...], dtypes: tuple[str, ...], wanted: str) -> None:
    """Refuse what is neither a number of these kinds nor an array of these types; True and False are no numbers."""
    if isinstance(item, np.ndarray):
        fits, got = item.dtype in dtypes, f"an array of {item.dtype}"
    else:
        fits = isinstance(item, kinds) and not isinstance(item, (bool, np.timedelta64))  # which are ints by birth
        got = f"{reprlib.repr(item)} ({type(item).__name__})"
    if not fits:
        raise DtypeError(f"{wanted}, got {got}")


def _array(name: str, data: Any, dtype: type[np.float64] | type[np.int64], wanted: str) -> np.ndarray[Any, Any]:
    """An array of nested lists that hold numbers only; ragged ones are refused, and numbers too large for the type."""
    try:
        return np.array(data, dtype)
    except ValueError as problem:
        raise ShapeError(f"{name}: the rows of data have different lengths ({problem})") from None
    except OverflowError:
        raise DtypeError(f"{wanted}, got one beyond their range") from None
