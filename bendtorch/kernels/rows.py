"""What kernels that work row by row share: how many rows a chunk has, and the maximum and exponentials of a row.

All of them work on a row that is in a cache. FLOPs a number: `row_max` one comparison, `exp_row` 23 (the exponential
has 21), `wide_sum` and `scale` one.

Sums are taken in blocks of float32 whose totals are float64: a running float32 sum forgets what is small beside it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.vecmath import exp_nonpositive, maximum

BLOCK: Final = 1024  # numbers summed in float32
CHUNK: Final = 1 << 14  # numbers a chunk of rows has at least
ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
LEAST: Final = np.float32(-np.inf)


@helper
def rows_of_chunk(c: int) -> int:
    """How many rows of `c` numbers a chunk has."""
    return max(1, CHUNK // c)


@reduction
def row_max(x: Flat) -> np.float32:
    """The largest number; NaN where there is one."""
    most = LEAST
    for i in range(x.size):
        most = maximum(most, x[i])
    return most


@helper
def _exponentials(x: Flat, m: np.float32, e: Flat) -> None:
    for i in range(x.size):
        e[i] = exp_nonpositive(x[i] - m)


@reduction
def _rest_block(e: Flat) -> np.float32:
    """The sum of what is less than 1, or NaN."""
    total = ZERO
    for i in range(e.size):
        total += ZERO if e[i] >= ONE else e[i]
    return total


@reduction
def _ones_block(e: Flat) -> np.float32:
    """How many are 1: the largest, and its equals."""
    count = ZERO
    for i in range(e.size):
        count += ONE if e[i] >= ONE else ZERO
    return count


@helper
def exp_block(x: Flat, m: np.float32, e: Flat) -> tuple[int, float]:
    """`exp_row` of at most BLOCK numbers."""
    _exponentials(x, m, e)
    return int(_ones_block(e)), np.float64(_rest_block(e))


@kernel
def exp_row(x: Flat, m: np.float32, e: Flat) -> tuple[int, float]:
    """e = exp(x - m), where m is the largest x; gives how many are 1, and the sum of the others.

    Apart, because a float32 sum of 1 and what is small forgets what is small, and log(1 + small) is the loss of a sure
    answer.
    """
    ones, rest = 0, 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        more_ones, more = exp_block(x[low:high], m, e[low:high])
        ones += more_ones
        rest += more
    return ones, rest


@reduction
def wide_sum(x: Flat) -> float:
    """The sum, taken in float64."""
    total = 0.0
    for i in range(x.size):
        total += np.float64(x[i])
    return total


@helper
def log_total(ones: int, rest: float) -> float:
    """log(ones + rest)."""
    return math.log1p(float(ones - 1) + rest)


@kernel
def scale(x: Flat, factor: np.float32) -> None:
    """x = x · factor."""
    for i in range(x.size):
        x[i] *= factor
