"""Sums, products and roots, number by number: 12 bytes and one FLOP a number, so they run at memory's speed."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunks_of, parallel_for

CHUNK: Final = 1 << 15  # numbers a chunk


@helper
def _add(a: Flat, b: Flat, out: Flat) -> None:
    for i in range(a.size):
        out[i] = a[i] + b[i]


@helper
def _multiply(a: Flat, b: Flat, out: Flat) -> None:
    for i in range(a.size):
        out[i] = a[i] * b[i]


@kernel
def _add_chunk(chunk: int, a: Flat, b: Flat, out: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, a.size)
    _add(a[low:high], b[low:high], out[low:high])


@kernel
def _multiply_chunk(chunk: int, a: Flat, b: Flat, out: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, a.size)
    _multiply(a[low:high], b[low:high], out[low:high])


@kernel
def add(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a + b."""
    parallel_for(_add_chunk, chunks_of(a.size, CHUNK), (a.ravel(), b.ravel(), out.ravel()))


@kernel
def multiply(a: Matrix, b: Matrix, out: Matrix) -> None:
    """out = a · b, number by number."""
    parallel_for(_multiply_chunk, chunks_of(a.size, CHUNK), (a.ravel(), b.ravel(), out.ravel()))


@helper
def _sqrt(x: Flat, y: Flat) -> None:
    for i in range(x.size):
        y[i] = np.sqrt(x[i])


@kernel
def _sqrt_chunk(chunk: int, x: Flat, y: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, x.size)
    _sqrt(x[low:high], y[low:high])


@kernel
def sqrt(x: Matrix, y: Matrix) -> None:
    """y = √x, rounded once; NaN below zero."""
    parallel_for(_sqrt_chunk, chunks_of(x.size, CHUNK), (x.ravel(), y.ravel()))
