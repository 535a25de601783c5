"""What is done to a whole flat buffer: its norm, a factor, a bound, a running mean. All at the speed of memory.

A number costs `sum_of_squares` 4 bytes and 2 FLOPs, `scale` 8 bytes and 1, `clamp` 8 bytes and two comparisons,
`approach` 12 bytes and 3.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Totals
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.vecmath import fma

CHUNK: Final = 1 << 15  # numbers a chunk


@reduction
def _squares(x: Flat) -> float:
    """In float64, whose squares of float32 numbers are exact and never overflow."""
    total = 0.0
    for i in range(x.size):
        total += np.float64(x[i]) * np.float64(x[i])
    return total


@helper
def _scale(x: Flat, factor: np.float32) -> None:
    for i in range(x.size):
        x[i] *= factor


@helper
def _clamp(x: Flat, most: np.float32) -> None:
    for i in range(x.size):
        inside = most if x[i] > most else x[i]  # NaN stays
        x[i] = -most if inside < -most else inside


@helper
def _approach(x: Flat, to: Flat, share: np.float32) -> None:
    for i in range(x.size):
        x[i] = fma(share, to[i] - x[i], x[i])


@kernel
def _squares_chunk(chunk: int, x: Flat, totals: Totals) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    totals[chunk] = _squares(x[low:high])


@kernel
def _scale_chunk(chunk: int, x: Flat, factor: np.float32) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    _scale(x[low:high], factor)


@kernel
def _clamp_chunk(chunk: int, x: Flat, most: np.float32) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    _clamp(x[low:high], most)


@kernel
def _approach_chunk(chunk: int, x: Flat, to: Flat, share: np.float32) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    _approach(x[low:high], to[low:high], share)


@kernel
def sum_of_squares(x: Flat) -> float:
    """The sum of the squares, in float64."""
    totals = np.empty(chunks_of(x.size, CHUNK), np.float64)
    parallel_for(_squares_chunk, totals.size, (x, totals))
    total: float = totals.sum()
    return total


@kernel
def scale(x: Flat, factor: np.float32) -> None:
    """x times a factor, in place."""
    parallel_for(_scale_chunk, chunks_of(x.size, CHUNK), (x, factor))


@kernel
def clamp(x: Flat, most: np.float32) -> None:
    """x brought into -most to most, in place; NaN stays."""
    parallel_for(_clamp_chunk, chunks_of(x.size, CHUNK), (x, most))


@kernel
def approach(x: Flat, to: Flat, share: np.float32) -> None:
    """x += share·(to - x), in place, with one rounding of the product and the sum."""
    parallel_for(_approach_chunk, chunks_of(x.size, CHUNK), (x, to, share))
