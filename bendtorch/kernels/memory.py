"""Arrays for results: small ones from numpy, large ones from blocks that are used again.

A fresh large array costs more than what is computed into it, because the system hands out its pages one by one:
filling a new 256 × 49152 takes two and a half times as long as filling a used one. Here the memory of a large array
returns to a free list when the last array that refers to it is collected, so a training step allocates nothing after
the first, and every pass stays pure: it returns arrays that nobody else has.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, cast

import numpy as np

from bendtorch.shapes.arrays import Mat, Places
from bendtorch.shapes.dims import C, Dim, N

LARGE: Final = 1 << 20  # bytes; below it numpy's own allocator is as fast
GRAIN: Final = 1 << 16  # blocks are multiples of this, so that nearly equal sizes share them
ALIGN: Final = 64
U8, F32 = np.dtype(np.uint8), np.dtype(np.float32)


class Block(NamedTuple):
    """Memory, how many bytes it has, and where its first aligned one is."""

    memory: Any
    size: int
    start: int


def _new_block(size: int) -> Block:
    memory = np.empty(size, np.uint8)
    start = -memory.ctypes.data % ALIGN
    return Block((ctypes.c_ubyte * size).from_buffer(memory.data), size, start)  # no array: numpy would skip the lease


class _Store:
    """The blocks that wait to be used again, by size.

    They never take more than what was once in use at the same time; beyond that, those of the size that was not asked
    for the longest are given back to the system.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a collection may run a finalizer in the middle of an allocation
        self.waiting: OrderedDict[int, list[Block]] = OrderedDict()
        self.free = self.live = self.peak = 0

    def forked(self) -> None:
        self.lock = threading.RLock()  # another thread of the parent may have held it

    def clear(self) -> None:
        with self.lock:
            self.waiting.clear()
            self.free, self.peak = 0, self.live

    def take(self, size: int) -> Block:
        with self.lock:
            blocks = self.waiting.get(size)
            block = blocks.pop() if blocks else None
            self.free -= size if block is not None else 0
            self.live += size
            self.peak = max(self.peak, self.live)
        return _new_block(size) if block is None else block

    def give_back(self, block: Block) -> None:
        with self.lock:
            self.live -= block.size
            self.waiting.setdefault(block.size, []).append(block)
            self.waiting.move_to_end(block.size)
            self.free += block.size
            while self.free > self.peak:
                oldest, blocks = next(iter(self.waiting.items()))
                if blocks:
                    blocks.pop()
                    self.free -= oldest
                else:
                    del self.waiting[oldest]


_store: Final = _Store()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_store.forked)


class _Lease(np.ndarray[tuple[int], np.dtype[np.uint8]]):
    """The bytes of a block on loan: numpy keeps this array alive as long as any view of it lives.

    A slice of it is of this class too, but has no block to give back.
    """

    __slots__ = ("block",)
    block: Block

    def __del__(self) -> None:
        block = getattr(self, "block", None)
        if block is not None:
            _store.give_back(block)


def _lease(block: Block) -> _Lease:
    lease = np.ndarray.__new__(_Lease, (block.size - ALIGN,), U8, block.memory, block.start)
    lease.block = block
    return lease


class _Watch(threading.local):
    """Who wants to know of each array that a thread makes."""

    tell: Callable[[Any], None] | None = None


_watch: Final = _Watch()


@contextlib.contextmanager
def watching(tell: Callable[[Any], None]) -> Iterator[None]:
    """Have `tell` called with each array that this thread makes meanwhile."""
    before, _watch.tell = _watch.tell, tell
    try:
        yield
    finally:
        _watch.tell = before


def empty_mat(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    """A float32 matrix of `n` rows and `c` columns whose numbers are not set."""
    return cast("Mat[N, C]", empty_array((n, c)))


def empty_array(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A float32 array of any rank whose numbers are not set."""
    count = math.prod(shape)
    if count * 4 < LARGE:
        array = np.empty(shape, np.float32)
    else:
        size = -(-(count * 4 + ALIGN) // GRAIN) * GRAIN
        array = np.ndarray(shape, F32, _lease(_store.take(size)))
    if _watch.tell is not None:
        _watch.tell(array)
    return array


def empty_places(n: Dim[N], c: Dim[C]) -> Places[N, C]:
    """A matrix of places that are not set."""
    return empty_mat(n, c).view(np.int32)


def references(array: Any) -> tuple[int, int]:
    """How many references there are to a large array of ours and to its memory, those of this call among them.

    Compared with `ALONE` by a caller that has it in one name: whether nobody else has it. (0, 0) for other things.
    """
    if type(array) is not np.ndarray or not isinstance(array.base, _Lease):
        return 0, 0
    return sys.getrefcount(array), sys.getrefcount(array.base)


def _of_a_fresh_one() -> tuple[int, int]:
    fresh = empty_mat(1, LARGE // 4)
    return references(fresh)


ALONE: Final = _of_a_fresh_one()
"""What `references` gives for an array that only its caller has, in one name. It depends on the interpreter."""


def free_bytes() -> int:
    """How much memory waits to be used again."""
    return _store.free


def release() -> None:
    """Give the memory that waits to be used again back to the system."""
    _store.clear()
