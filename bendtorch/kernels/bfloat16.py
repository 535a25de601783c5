"""bfloat16: the upper half of a float32, kept as uint16. Reading one is exact; writing one rounds to nearest even.

2 bytes a number instead of 4; no FLOP: two operations on integers to read, some ten to write.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath import bits, from_bits

FlatBF16: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint16]]

HALF: Final = np.int32(16)
ROUND: Final = np.int32(0x7FFF)
LOWEST: Final = np.int32(1)
ZERO: Final = np.float32(0)
UPPER: Final = np.int32(0xFFFF)  # also what NaN is written as


@helper
def from_bfloat16(x: np.uint16) -> np.float32:
    """The float32 with the same value."""
    return from_bits(np.int32(x) << HALF)


@helper
def to_bfloat16(x: np.float32) -> np.uint16:
    """The nearest bfloat16, ties to even; beyond the largest: infinity; every NaN: 0xFFFF."""
    number = ZERO if x != x else x  # of NaN the sum could overflow
    b = bits(number)
    odd = np.int32(np.int32(b >> HALF) & LOWEST)  # said at every step: numba takes sums of int32 as int64, half as fast
    rounded = np.int32(np.int32(b + np.int32(ROUND + odd)) >> HALF)
    return np.uint16(np.int32((UPPER if x != x else rounded) & UPPER))
