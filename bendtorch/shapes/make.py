"""Checked constructors for users' data: an array, once accepted, has the shape that its type says."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_ids, guard_mat


def mat(n: Dim[N], c: Dim[C], data: Any) -> Mat[N, C]:
    """`data` as a float32 matrix of `n` rows and `c` columns.

    A float32 array is taken as it is (copied only where its memory is not in C order); numbers in lists are converted.
    An array of another type is refused with `DtypeError`, never converted silently; other sizes raise `ShapeError`.
    """
    if isinstance(data, (list, tuple)):
        data = _of_numbers("mat", data, np.float32)
    return cast("Mat[N, C]", guard_mat(data, (n, c), "mat", "data"))


def ids(n: Dim[N], data: Any) -> Ids[N]:
    """`data` as a vector of `n` ids or labels (int32 or int64); whole numbers in a list become int64.

    Raises `DtypeError` for an array of another type and `ShapeError` for another length.
    """
    if isinstance(data, (list, tuple)):
        data = _of_numbers("ids", data, np.int64)
    return cast("Ids[N]", guard_ids(data, n, "ids", "data"))


def _of_numbers(name: str, data: list[Any] | tuple[Any, ...], dtype: type[np.float32] | type[np.int64]) -> Any:
    """Nested lists of numbers as an array; ragged or non-numeric ones are refused."""
    try:
        array = np.array(data)
    except ValueError as problem:
        raise ShapeError(f"{name}: the rows of data have different lengths ({problem})") from None
    if array.size == 0 or np.can_cast(array.dtype, dtype, "same_kind"):
        return array.astype(dtype)
    return array  # the guard says what is wrong with it
