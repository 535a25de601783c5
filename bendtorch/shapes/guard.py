"""Checks of arrays before a kernel sees them.

A kernel reads memory by index and checks nothing, so nothing reaches it unchecked: every array is compared with the
size its layer was built for. The checks cost a fraction of a microsecond when the array is right.

A dtype is compared by identity first, which is quick, and then by `==`: that of an unpickled array is another object.
An array that is not writable is copied even where it is only read, because numba compiles a kernel again for read-only
arrays. Arrays of a subclass are taken as plain arrays, but for masked ones with something masked: a kernel would
compute with the numbers under the mask.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes.arrays import Ids, Mat, Places
from bendtorch.shapes.dims import C, N

F32: Final = np.dtype(np.float32)
I64: Final = np.dtype(np.int64)
I32: Final = np.dtype(np.int32)
INDEX: Final = (I64, I32)


def guard_mat(x: Mat[N, C], shape: tuple[int, int], layer: str, argument: str) -> Mat[N, C]:
    """`x` when it is a float32 matrix of `shape`; a copy in C order where its memory is laid out in another way.

    Raises `DtypeError` or `ShapeError`, naming the layer and the argument.
    """
    if type(x) is np.ndarray and (x.dtype is F32 or x.dtype == F32) and x.shape == shape and x.flags.carray:
        return x
    _require_mat(x, shape, layer, argument)
    return cast("Mat[N, C]", np.array(x, dtype=np.float32, order="C", subok=False))


def guard_target(x: Mat[N, C], shape: tuple[int, int], layer: str, argument: str) -> Mat[N, C]:
    """`x` when results can be written into it in place: a float32 matrix of `shape`, writable and in C order."""
    if type(x) is np.ndarray and (x.dtype is F32 or x.dtype == F32) and x.shape == shape and x.flags.carray:
        return x
    _require_mat(x, shape, layer, argument)
    if x.flags.carray:
        return x.view(np.ndarray)
    raise ShapeError(
        f"{layer}: {argument} is written in place, so it must be a writable array in C order; got one that is "
        f"{'read-only' if not x.flags.writeable else 'laid out in another way'}"
        f" (make one with np.zeros({shape}, np.float32), or take the layer's own zeros())"
    )


def guard_ids(x: Ids[N], count: int, layer: str, argument: str) -> Ids[N]:
    """`x` as int64 when it is a vector of `count` int32 or int64 numbers; kernels see one type and one layout."""
    if type(x) is np.ndarray and (x.dtype is I64 or x.dtype == I64) and x.shape == (count,) and x.flags.carray:
        return x
    if not isinstance(x, np.ndarray):
        raise DtypeError(f"{layer}: {argument} must be a numpy array of ids, got {type(x).__name__}")
    if x.dtype not in INDEX:
        raise DtypeError(
            f"{layer}: {argument} must be int32 or int64 in native byte order, got {x.dtype.str} ({x.dtype});"
            f" convert it with {argument}.astype(np.int64)"
        )
    if x.shape != (count,):
        raise ShapeError(f"{layer}: {argument} must be Ids[{count}], got an array of shape {list(x.shape)}")
    refuse_masked(x, layer, argument)
    return cast("Ids[N]", np.array(x, dtype=np.int64, order="C", subok=False))


def guard_places(x: Places[N, C], shape: tuple[int, int], layer: str, argument: str) -> Places[N, C]:
    """`x` when it is an int32 matrix of `shape`, as `guard_mat`."""
    if type(x) is np.ndarray and (x.dtype is I32 or x.dtype == I32) and x.shape == shape and x.flags.carray:
        return x
    _require_matrix(x, I32, "Places", shape, layer, argument)
    return cast("Places[N, C]", np.array(x, dtype=np.int32, order="C", subok=False))


def refuse_masked(x: Any, layer: str, argument: str) -> None:
    """Refuse a masked array in which something is masked, and the masked constant itself."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise DtypeError(
            f"{layer}: {argument} has masked numbers, which cannot be left out; "
            f"put numbers in their place with {argument}.filled(...)"
        )


def _require_mat(x: Any, shape: tuple[int, ...], layer: str, argument: str) -> None:
    """Say what is wrong with a `Mat`, where it is more than its layout in memory."""
    _require_matrix(x, F32, "Mat", shape, layer, argument)


def _require_matrix(x: Any, dtype: np.dtype[Any], kind: str, shape: tuple[int, ...], layer: str, argument: str) -> None:
    name = "an int32" if dtype is I32 else "a float32"
    want = f"{kind}[{', '.join(map(str, shape))}]"
    if not isinstance(x, np.ndarray):
        raise DtypeError(f"{layer}: {argument} must be {name} numpy array {want}, got {type(x).__name__}")
    if x.dtype != dtype:
        raise DtypeError(
            f"{layer}: {argument} must be {dtype} in native byte order, got {x.dtype.str} ({x.dtype});"
            f" convert it with {argument}.astype(np.{dtype})"
        )
    if x.shape != shape:
        raise ShapeError(f"{layer}: {argument} must be {want}, got an array of shape {list(x.shape)}")
    refuse_masked(x, layer, argument)
