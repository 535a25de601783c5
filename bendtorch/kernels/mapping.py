"""`mapped(f)` and `zipped(f)`: kernels over whole matrices, from a function of one number or of two.

    @helper
    def halved(x):
        return x * HALF

    halve = mapped(halved)      # halve(x, out): out = x / 2, number by number

The function is inlined into a loop over a chunk, which LLVM vectorises if the function has no branches and calls none;
the chunks are run by all threads. Each number is read once and written once: 8 bytes a number for `mapped`, 12 for
`zipped`. An array too large for the caches is written in blocks, each brought near before its turn. `out` must be
another array than the inputs.

A function of this part of the package is named by its place there, so its kernel is kept on disk like any other.
Kernels from a user's function are compiled in every process; `scalars` makes those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import JIT, kernel, uncached_kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.prefetch import writing_on

Map: TypeAlias = Callable[[Matrix, Matrix], None]
Zip: TypeAlias = Callable[[Matrix, Matrix, Matrix], None]

CHUNK: Final = 1 << 14  # numbers a chunk: some microseconds
LARGE: Final = 1 << 21  # numbers of an array that is not in a cache when it is written
BLOCK: Final = 256  # of its numbers whose place is brought near at a time
OURS: Final = __name__.rpartition(".")[0]


def mapped(function: Callable[[np.float32], Any]) -> Map:
    """The kernel `out = f(x)`, number by number, called as `(x, out)`."""

    @uncached_kernel
    def span(inputs: tuple[Flat], low: int, high: int, out: Flat) -> None:
        x, results = inputs[0][low:high], out[low:high]
        for i in range(results.size):
            results[i] = function(x[i])

    chunk = _in_blocks(span)

    def over_all(x: Matrix, out: Matrix) -> None:
        parallel_for(chunk, chunks_of(x.size, CHUNK), ((x.ravel(),), out.ravel()))

    return cast("Map", _kernel(over_all, function))


def zipped(function: Callable[[np.float32, np.float32], Any]) -> Zip:
    """The kernel `out = f(a, b)`, number by number, called as `(a, b, out)`."""

    @uncached_kernel
    def span(inputs: tuple[Flat, Flat], low: int, high: int, out: Flat) -> None:
        a, b, results = inputs[0][low:high], inputs[1][low:high], out[low:high]
        for i in range(results.size):
            results[i] = function(a[i], b[i])

    chunk = _in_blocks(span)

    def over_all(a: Matrix, b: Matrix, out: Matrix) -> None:
        parallel_for(chunk, chunks_of(a.size, CHUNK), ((a.ravel(), b.ravel()), out.ravel()))

    return cast("Zip", _kernel(over_all, function))


def _in_blocks(span: Callable[[Any, int, int, Flat], None]) -> Callable[[int, Any, Flat], None]:
    """What computes a chunk by spans of it: one, or many small ones where memory is brought near before each."""

    @uncached_kernel
    def chunk(number: int, inputs: Any, out: Flat) -> None:
        first, last = chunk_bounds(number, CHUNK, out.size)
        size = BLOCK if out.size >= LARGE else CHUNK
        for low in range(first, last, size):
            if size == BLOCK:
                writing_on(out.ctypes.data + 4 * low, 4 * BLOCK)
            span(inputs, low, min(low + size, last), out)

    return chunk


def _kernel(driver: Any, function: Any) -> Any:
    """The driver compiled: under the name of what it was made from, and kept on disk, where that name is enough."""
    if not JIT:
        return _without_warnings(driver)
    source = getattr(function, "py_func", function)
    kind = driver.__qualname__.partition(".")[0]
    driver.__qualname__ = f"{kind}.{source.__module__}.{source.__qualname__}"
    is_ours = source.__module__.startswith(f"{OURS}.") and source.__closure__ is None
    return kernel(driver) if is_ours else uncached_kernel(driver)


def _without_warnings(driver: Any) -> Any:
    """With the JIT off, arithmetic is numpy's, which warns where a number overflows or is none."""

    def quiet(*arrays: Any) -> None:
        with np.errstate(all="ignore"):
            driver(*arrays)

    return quiet
