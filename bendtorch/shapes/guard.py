"""Checks of arrays before a kernel sees them.

A kernel reads memory by index and checks nothing, so nothing reaches it unchecked: every array is compared with the
size its layer was built for. The checks cost a fraction of a microsecond when the array is right.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import C, N

F32: Final = np.dtype(np.float32)
I64: Final = np.dtype(np.int64)
INDEX: Final = (I64, np.dtype(np.int32))


def guard_mat(x: Mat[N, C], shape: tuple[int, int], layer: str, argument: str) -> Mat[N, C]:
    """`x` when it is a float32 matrix of `shape`; a copy in C order where its memory is laid out in another way.

    Raises `DtypeError` or `ShapeError`, naming the layer and the argument.
    """
    if type(x) is np.ndarray and x.dtype is F32 and x.shape == shape and x.flags.carray:
        return x
    return cast("Mat[N, C]", _accept(x, shape, layer, argument))


def guard_target(x: Mat[N, C], shape: tuple[int, int], layer: str, argument: str) -> Mat[N, C]:
    """`x` when results can be written into it in place: a float32 matrix of `shape`, writable and in C order."""
    if type(x) is np.ndarray and x.dtype is F32 and x.shape == shape and x.flags.carray:
        return x
    accepted = _accept(x, shape, layer, argument)
    raise ShapeError(
        f"{layer}: {argument} is written in place, so it must be a writable array in C order; got one that is "
        f"{'read-only' if not x.flags.writeable else 'laid out in another way'}"
        f" (make one with np.zeros({accepted.shape}, np.float32), or take the layer's own zeros())"
    )


def guard_ids(x: Ids[N], count: int, layer: str, argument: str) -> Ids[N]:
    """`x` as int64 when it is a vector of `count` int32 or int64 numbers; kernels see one type and one layout."""
    if type(x) is np.ndarray and x.dtype is I64 and x.shape == (count,) and x.flags.carray:
        return x
    if not isinstance(x, np.ndarray):
        raise DtypeError(f"{layer}: {argument} must be a numpy array of ids, got {type(x).__name__}")
    if x.dtype not in INDEX or not x.dtype.isnative:
        raise DtypeError(
            f"{layer}: {argument} must be int32 or int64 in native byte order, got {x.dtype.str} ({x.dtype});"
            f" convert it with {argument}.astype(np.int64)"
        )
    if x.shape != (count,):
        raise ShapeError(f"{layer}: {argument} must be Ids[{count}], got an array of shape {list(x.shape)}")
    return cast("Ids[N]", np.array(x, dtype=np.int64, order="C", subok=False))


def _accept(x: Any, shape: tuple[int, ...], layer: str, argument: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The slow path: say what is wrong, or copy what only lies in memory in another way."""
    want = f"Mat[{', '.join(map(str, shape))}]"
    if not isinstance(x, np.ndarray):
        raise DtypeError(f"{layer}: {argument} must be a float32 numpy array {want}, got {type(x).__name__}")
    if x.dtype != F32 or not x.dtype.isnative:
        raise DtypeError(
            f"{layer}: {argument} must be float32 in native byte order, got {x.dtype.str} ({x.dtype});"
            f" convert it with {argument}.astype(np.float32)"
        )
    if x.shape != shape:
        raise ShapeError(f"{layer}: {argument} must be {want}, got an array of shape {list(x.shape)}")
    return np.array(x, dtype=np.float32, order="C", subok=False)
