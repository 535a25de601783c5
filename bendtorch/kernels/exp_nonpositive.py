"""e^x for x that are not positive, in half the operations of `vecmath.exp`.

With n the integer next to x / ln 2 and r = x - n·ln 2, e^x = 2^n · e^r. Adding 1.5·2^23 rounds to an integer, which is
then found in the low bits of the sum; 2^n is applied as 2^(n + 123) · 2^-123, so that a result below the normal range
is rounded once.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath import bits, fma, from_bits

ONE: Final = np.float32(1)
LOG2_E: Final = np.float32(1.4426950408889634)
LN2_HIGH: Final = np.float32(0.6931471805599453)  # x - n·LN2_HIGH has 24 bits or less: an fma gives it exactly
LN2_LOW: Final = np.float32(-1.904654299957768e-09)  # ln 2 - LN2_HIGH
ROUNDER: Final = np.float32(1.5 * 2**23)
EXPONENT: Final = np.int32(23)  # the place of the exponent in a number's bits
# p(r) in exp(r) = 1 + r + r²·p(r), from reference/kernels/fit_exp.py with degree 4
EXP_0: Final = np.float32(0.4999999403953552)
EXP_1: Final = np.float32(0.1666652113199234)
EXP_2: Final = np.float32(0.04166838899254799)
EXP_3: Final = np.float32(0.008368716575205326)
EXP_4: Final = np.float32(0.001381459878757596)
LEAST: Final = np.float32(-105)  # below: zero
PLUS_250: Final = np.int32(250 << 23)  # as the bits of an exponent: 2^123, biased
TWO_TO_MINUS_123: Final = np.float32(2.0**-123)


@helper
def exp_nonpositive(x: np.float32) -> np.float32:
    """e^x to within 0.9 ulp for x <= 0; NaN gives NaN."""
    inside = LEAST if x < LEAST else x
    rounded = fma(inside, LOG2_E, ROUNDER)
    n = rounded - ROUNDER
    high = fma(n, -LN2_HIGH, inside)
    low = n * -LN2_LOW
    r = high + low
    square = r * r
    p = fma(fma(EXP_4, square, fma(EXP_3, r, EXP_2)), square, fma(EXP_1, r, EXP_0))
    m = ONE + (high + fma(p, square, low))
    return m * from_bits((bits(rounded) << EXPONENT) + PLUS_250) * TWO_TO_MINUS_123
