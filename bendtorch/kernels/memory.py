"""Arrays for results: small ones from numpy, large ones from blocks that are used again.

A fresh large array costs more than what is computed into it, because the system hands out its pages one by one:
filling a new 256 × 49152 takes two and a half times as long as filling a used one. Here the memory of a large array
returns to a free list when the last array that refers to it is collected, so a training step allocates nothing after
the first, and every pass stays pure: it returns arrays that nobody else has.
"""

from __future__ import annotations

import math
import threading
from typing import Any, Final, cast

import numpy as np

from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N

LARGE: Final = 1 << 20  # bytes; below it numpy's own allocator is as fast
GRAIN: Final = 1 << 16  # blocks are multiples of this, so that nearly equal sizes share them
ALIGN: Final = 64

Block = np.ndarray[tuple[int], np.dtype[np.uint8]]

_free: dict[int, list[Block]] = {}
_lock: Final = threading.RLock()  # a collection may run a finalizer in the middle of an allocation


class _Lease:
    """A block on loan: numpy keeps this object alive as long as any view of the array lives."""

    __slots__ = ("__array_interface__", "block")

    def __init__(self, block: Block, shape: tuple[int, ...]) -> None:
        self.block = block
        start = -(-block.ctypes.data // ALIGN) * ALIGN
        self.__array_interface__ = {"shape": shape, "typestr": "<f4", "data": (start, False), "version": 3}

    def __del__(self) -> None:
        block = self.block
        with _lock:
            _free.setdefault(block.size, []).append(block)


def empty_mat(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    """A float32 matrix of `n` rows and `c` columns whose numbers are not set."""
    if n * c * 4 < LARGE:
        return cast("Mat[N, C]", np.empty((n, c), np.float32))
    return cast("Mat[N, C]", _large((n, c)))


def _large(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A large array, in a used block where there is one."""
    size = -(-(math.prod(shape) * 4 + ALIGN) // GRAIN) * GRAIN
    with _lock:
        blocks = _free.get(size)
        block = blocks.pop() if blocks else np.empty(size, np.uint8)
    return np.asarray(_Lease(block, shape))


def free_bytes() -> int:
    """How much memory waits to be used again."""
    with _lock:
        return sum(size * len(blocks) for size, blocks in _free.items())


def release() -> None:
    """Give the memory that waits to be used again back to the system."""
    with _lock:
        _free.clear()
