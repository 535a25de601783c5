"""A node of an expression: an array, or an operation and its arguments."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import DtypeError
from bendtorch.kernels.block_ops import Op

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Shape: TypeAlias = tuple[int, ...]

F32: Final = np.dtype(np.float32)


def in_order(array: Any, name: str) -> Array:
    """A float32 array as one in C order; itself where it is. Raises `DtypeError` for anything else."""
    if type(array) is np.ndarray and array.dtype is F32 and array.flags.c_contiguous and array.flags.aligned:
        return array
    if not isinstance(array, (np.ndarray, np.float32)) or array.dtype != F32:
        kind = getattr(array, "dtype", type(array).__name__)
        raise DtypeError(f"{name}: expected a float32 numpy array, got {kind}; convert it with .astype(np.float32)")
    return np.array(array, np.float32, order="C", subok=False)


LEAF: Final = Op.LEAF  # looked up once: members of an enumeration take their time
SUM: Final = Op.SUM
DEFERRED: Final = Op.DEFERRED
COPY: Final = Op.COPY
MUL: Final = Op.MUL


class Lazy:
    """A float32 array, or the expression that it will be computed from.

    `value` is the array, once there is one; then the node has neither arguments nor depth. `summed` is a sum of it that
    somebody may still want: it is taken in the pass that computes the value.
    """

    __slots__ = ("__weakref__", "args", "compute", "depth", "op", "shape", "size", "summed", "times", "value")

    op: Op
    args: tuple[Lazy, ...]
    shape: Shape
    size: int
    depth: int  # operations not yet computed, one behind the other
    times: int  # how often it was computed without being kept
    value: Array | None
    compute: Callable[..., Array] | None  # of a deferred array
    summed: weakref.ref[Lazy] | None

    def __init__(self, op: Op, args: tuple[Lazy, ...], shape: Shape, size: int, depth: int) -> None:
        self.op = op
        self.args = args
        self.shape = shape
        self.size = size
        self.depth = depth
        self.times = 0
        self.value = None
        self.compute = None
        self.summed = None

    def __repr__(self) -> str:
        return f"Lazy({self.op.name}, shape={self.shape})"

    def keep(self, value: Array) -> None:
        """Remember the value, and forget what it was computed from."""
        self.value = value
        self.args = ()
        self.depth = 0
        self.compute = self.summed = None
