"""The logistic function, 1 / (1 + e^-x): from the exponential of what is below zero. 26 FLOPs; as two parts 23."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import fma, from_bits
from bendtorch.kernels.vecmath.exp import LEAST, NONE, NOTHING, ONE, exp_of_negative, reduced, slope

ZERO: Final = np.float32(0)
MOST: Final = -LEAST
PLUS_191: Final = np.int32(191 << 23)  # exponents; 191 is that of 2^64
TWO_TO_MINUS_64: Final = np.float32(2.0**-64)


@helper
def exp_of_minus_size(x: np.float32) -> np.float32:
    """e^-|x|, for every float32."""
    below = -abs(x)
    return exp_of_negative(LEAST if below < LEAST else below, NOTHING)


@helper
def odds(v: np.float32) -> tuple[np.float32, np.float32]:
    """p and d with sigmoid(v) = p / d, where p is a power of two and d is from 0.7 to 2.5, for every float32.

    A product with p is exact, and d is rounded once (twice near |v| = 16.6, where p + 2^n is 1 + 2^-24): of
    e^-v = (1 + r·s)·2^n, the power goes to p as 2^-n when n is positive, else it stays, and
    d = p·(1 + e^-v) = (p + 2^n) + r·2^n·s.
    """
    inside = MOST if v > MOST else v
    inside = LEAST if inside < LEAST else inside
    r, n = reduced(-inside, NOTHING)
    up = n if n > NONE else NONE
    p = from_bits(np.int32(PLUS_191 - up)) * TWO_TO_MINUS_64  # in two steps, because it may be below the normal range
    power = from_bits(np.int32(PLUS_191 + (n - up))) * TWO_TO_MINUS_64
    return p, fma(slope(r), r * power, p + power)


@helper
def sigmoid(x: np.float32) -> np.float32:
    """1 / (1 + e^-x) to within 1.7 ulp for every float32; NaN gives NaN.

    With z = e^-|x|, which cannot overflow, and y = z / (1 + z): 1 - y for a positive x, y for a negative one. There y
    is taken once more as z - z·y, where the roundings of 1 + z and of the quotient weigh less.
    """
    z = exp_of_minus_size(x)
    y = z / (ONE + z)
    return ONE - y if x > ZERO else fma(-z, y, z)
