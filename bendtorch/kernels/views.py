"""Views that hold no reference to their array.

Numba counts the references to an array's memory with atomic instructions, two for each slice that is made: some 10
nanoseconds, as long as a row of a small image takes to copy. What a chunk of a job is given is lent to it (`parallel`);
a kernel that cuts many short pieces from an array of its own cuts them from a borrowed view, whose slices cost nothing
either. Its array must stay alive meanwhile: an argument does, as long as the kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np

from bendtorch.kernels.arrays import Flat, Places
from bendtorch.kernels.atomics import pointer
from bendtorch.kernels.compile import JIT, helper


@helper
def _borrowed(array: Any) -> Flat:
    view: Flat = numba.carray(pointer(array.ctypes.data), (array.size,), np.float32)
    return view


@helper
def _borrowed_places(array: Any) -> Places:
    view: Places = numba.carray(pointer(array.ctypes.data), (array.size,), np.int32)
    return view


def _plain(array: Any) -> Any:
    return array.reshape(-1)


borrowed: Final[Callable[[Any], Flat]] = _borrowed if JIT else _plain
"""All numbers of a float32 array in C order, as a flat view that does not keep the array alive."""

borrowed_places: Final[Callable[[Any], Places]] = _borrowed_places if JIT else _plain
"""The same of an int32 array."""
