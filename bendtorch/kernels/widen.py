"""Weights that are kept in 16 bits or in 32, and are float32 as soon as they are read.

The type of an array says what its cells are: float32, bfloat16 kept as uint16, float16 kept as int16. Widening is
exact, and a loop over cells is vectorised with it: a shift for bfloat16, one instruction for float16 on processors that
have it.

A product reads 2 or 4 bytes a cell, for 2 FLOPs. Widening an array reads 2 and writes 4, narrowing one the other way.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bendtorch.kernels.arrays import Flat, Labels, Matrix
from bendtorch.kernels.bfloat16 import to_bfloat16
from bendtorch.kernels.compile import JIT, helper, kernel, reduction
from bendtorch.kernels.lanes import F32, I32
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

Stored: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32 | np.uint16 | np.int16]]

CHUNK: Final = 1 << 15  # numbers a chunk: some microseconds


@intrinsic
def _widen(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if x == types.uint16:
            wide = builder.zext(args[0], I32)
            return builder.bitcast(builder.shl(wide, ir.Constant(I32, 16)), F32)
        if x == types.int16:
            return builder.fpext(builder.bitcast(args[0], ir.HalfType()), F32)
        return args[0]

    return types.float32(x), generate


def _plain_widen(x: Any) -> np.float32:
    if x.dtype == np.uint16:
        return np.uint32(np.uint32(x) << np.uint32(16)).view(np.float32)
    return np.float32(x.view(np.float16)) if x.dtype == np.int16 else x


widen: Final = _widen if JIT else _plain_widen
"""The float32 that a cell stands for."""


@reduction
def wide_product(w: Stored, x: Flat) -> np.float32:
    """Σ w·x over the cells of w, in vector lanes."""
    total = np.float32(0)
    for i in range(x.size):
        total += widen(w[i]) * x[i]
    return total


@helper
def _widen_into(w: Stored, out: Flat) -> None:
    for i in range(w.size):
        out[i] = widen(w[i])


@kernel
def _widen_chunk(chunk: int, w: Stored, out: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, w.size)
    _widen_into(w[low:high], out[low:high])


@kernel
def widen_all(w: Stored, out: Flat) -> None:
    """out = w, in float32."""
    parallel_for(_widen_chunk, chunks_of(w.size, CHUNK), (w, out))


@kernel
def wide_rows(w: Stored, start: int, ids: Labels, out: Matrix) -> None:
    """Rows of a table that begins at a cell, by their numbers, in float32."""
    width = out.shape[1]
    for r in range(ids.size):
        low = start + ids[r] * width
        _widen_into(w[low : low + width], out[r])


@helper
def _narrow_into(x: Flat, out: Stored) -> None:
    for i in range(x.size):
        out[i] = to_bfloat16(x[i])


@kernel
def _narrow_chunk(chunk: int, x: Flat, out: Stored) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    _narrow_into(x[low:high], out[low:high])


@kernel
def narrow_all(x: Flat, out: Stored) -> None:
    """out = x in bfloat16, to nearest even."""
    parallel_for(_narrow_chunk, chunks_of(x.size, CHUNK), (x, out))
