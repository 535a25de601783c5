"""Arrays at the end of memory: behind them is a page that may not be touched. Who reads on is stopped at once."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np


def guarded(array: Any) -> Any:
    """A copy of an array, behind which nothing may be read or written: for a process of its own, on POSIX."""
    end = -(-array.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, end + mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + end), ctypes.c_size_t(mmap.PAGESIZE), 0) != 0:
        raise OSError("mprotect")
    copy = np.frombuffer(memory, array.dtype, array.size, end - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy
