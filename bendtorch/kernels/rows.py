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
from bendtorch.kernels.prefetch import read_near, write_near
from bendtorch.kernels.vecmath import exp_nonpositive, maximum

BLOCK: Final = 1024  # numbers summed in float32
LONG: Final = 4 * BLOCK  # numbers of a row that is brought near, one block ahead
PIECE: Final = 256  # numbers of a block, while whose exponentials are taken as many of the next are brought near
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
def exponentials(x: Flat, m: np.float32, e: Flat) -> None:
    """e = exp(x - m), for m at least the largest x."""
    for i in range(x.size):
        e[i] = exp_nonpositive(x[i] - m)


@helper
def exponentials_ahead(x: Flat, m: np.float32, e: Flat, read: int, written: int) -> None:
    """The same of a block, while the next one is brought near: `read` and `written` are where x and e are in memory.

    In pieces, because a processor waits for what it is told to bring when it is told too much at once.
    """
    for low in range(0, x.size, PIECE):
        high = min(x.size, low + PIECE)
        read_near(read + 4 * (BLOCK + low), 4 * PIECE)
        write_near(written + 4 * (BLOCK + low), 4 * PIECE)
        exponentials(x[low:high], m, e[low:high])


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
def sum_block(e: Flat) -> tuple[int, float]:
    """How many of a block's exponentials are 1, and the sum of the others."""
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
        exponentials(x[low:high], m, e[low:high])
        more_ones, more = sum_block(e[low:high])
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
