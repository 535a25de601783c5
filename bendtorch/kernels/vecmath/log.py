"""The natural logarithm: the exponent's part, and a polynomial of degree 8 on what is left. 25 FLOPs."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import bits, fma, from_bits
from bendtorch.kernels.vecmath.exp import LN2_HIGH, ONE

ZERO: Final = np.float32(0)
INFINITY: Final = np.float32(np.inf)
NAN: Final = np.float32(np.nan)
LEAST_NORMAL: Final = np.float32(2.0**-126)
TWO_TO_23: Final = np.float32(2.0**23)
TWO_TO_MINUS_23: Final = np.float32(2.0**-23)
MINUS_23: Final = np.float32(-23)
TWO_THIRDS: Final = np.int32(0x3F2AAAAB)  # the bits of 2/3
EXPONENTS: Final = np.int32(-(1 << 23))  # the sign's bit and the exponent's

# p(f) in log(1 + f) = f + f²·p(f), from reference/kernels/fit.py
LOG_0: Final = np.float32(-0.5)
LOG_1: Final = np.float32(0.3333321511745453)
LOG_2: Final = np.float32(-0.24999801814556122)
LOG_3: Final = np.float32(0.20010444521903992)
LOG_4: Final = np.float32(-0.16680316627025604)
LOG_5: Final = np.float32(0.1400534063577652)
LOG_6: Final = np.float32(-0.1218646764755249)
LOG_7: Final = np.float32(0.13986706733703613)
LOG_8: Final = np.float32(-0.12882603704929352)


@helper
def log(x: np.float32) -> np.float32:
    """ln x to within 0.94 ulp for every float32; -inf for zeros; NaN for NaN and what is below zero.

    x = 2^n · (1 + f) with 1 + f from 2/3 to 4/3, and ln x = n·ln 2 + ln(1 + f).
    """
    tiny = x < LEAST_NORMAL
    b = bits(x * TWO_TO_23 if tiny else x)
    exponent = np.int32((b - TWO_THIRDS) & EXPONENTS)
    n = fma(np.float32(exponent), TWO_TO_MINUS_23, MINUS_23 if tiny else ZERO)
    f = from_bits(b - exponent) - ONE
    s = f * f
    p = fma(fma(LOG_8, f, LOG_7), s, fma(LOG_6, f, LOG_5))
    p = fma(p, s, fma(LOG_4, f, LOG_3))
    p = fma(p, s, fma(LOG_2, f, LOG_1))
    y = fma(n, LN2_HIGH, fma(fma(p, f, LOG_0), s, f))
    y = y if x < INFINITY else x
    return y if x > ZERO else (-INFINITY if x == ZERO else NAN)
