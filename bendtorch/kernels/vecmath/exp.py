"""exp, and the steps that functions built on it share.

With n the integer next to x / ln 2 and r = x - n·ln 2, e^x = 2^n · e^r. Adding 1.5·2^23 rounds to an integer, which is
then found in the low bits of the sum; so n comes as an exponent, ready to be added to one.

21 FLOPs: 7 for r and n, 12 for e^r with a polynomial of degree 6, 2 for the scale.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import as_exponent, at_least, bits, fma, from_bits

NOTHING: Final = np.float32(-0.0)  # x + NOTHING is x for every x, so the addition costs nothing
ONE: Final = np.float32(1)
LOG2_E: Final = np.float32(1.4426950408889634)
LN2_HIGH: Final = np.float32(0.6931471805599453)  # x - n·LN2_HIGH has at most 24 bits: an fma gives it exactly
LN2_LOW: Final = np.float32(-1.904654299957768e-09)  # ln 2 - LN2_HIGH
ROUNDER: Final = np.float32(1.5 * 2**23)

# p(r) in e^r = 1 + r + r²·p(r), from reference/kernels/fit.py
EXP_0: Final = np.float32(0.5)
EXP_1: Final = np.float32(0.16666534543037415)
EXP_2: Final = np.float32(0.04166724532842636)
EXP_3: Final = np.float32(0.008367433212697506)
EXP_4: Final = np.float32(0.0013863082276657224)

MOST: Final = np.float32(89)  # beyond: infinity
LEAST: Final = np.float32(-105)  # below: zero
NONE: Final = np.int32(0)
MINUS_250: Final = np.int32(-250 << 23)  # exponents
PLUS_250: Final = np.int32(250 << 23)
PLUS_254: Final = np.int32(254 << 23)
TWO_TO_MINUS_123: Final = np.float32(2.0**-123)


@helper
def reduced(x: np.float32, rest: np.float32) -> tuple[np.float32, np.int32]:
    """r, and n as an exponent's bits, where x + rest = n·ln 2 + r; for |x| up to 2^7 and a tiny rest."""
    rounded = fma(x, LOG2_E, ROUNDER)
    n = rounded - ROUNDER
    return fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x) + rest), as_exponent(bits(rounded))


@helper
def slope(r: np.float32) -> np.float32:
    """(e^r - 1) / r, for |r| up to ln 2 / 2."""
    p = fma(fma(fma(fma(EXP_4, r, EXP_3), r, EXP_2), r, EXP_1), r, EXP_0)
    return fma(p, r, ONE)


@helper
def exp_parts(x: np.float32, rest: np.float32) -> tuple[np.float32, np.int32]:
    """e^(x + rest) as m · 2^n: m from 0.7 to 1.42, and n as an exponent's bits; arguments as of `reduced`."""
    r, n = reduced(x, rest)
    return fma(slope(r), r, ONE), n


@helper
def scaled(m: np.float32, n: np.int32) -> np.float32:
    """m · 2^n where that is a normal number."""
    return from_bits(bits(m) + n)


@helper
def exp_of_negative(x: np.float32, rest: np.float32) -> np.float32:
    """e^(x + rest) for x from -160 to 0. The second factor rounds, also to a number below the normal range."""
    m, n = exp_parts(x, rest)
    return m * from_bits(n + PLUS_250) * TWO_TO_MINUS_123


@helper
def exp_nonpositive(x: np.float32) -> np.float32:
    """e^x for x <= 0 with the bits of `exp`, in fewer operations; NaN gives NaN."""
    return exp_of_negative(at_least(x, LEAST), NOTHING)


@helper
def exp(x: np.float32) -> np.float32:
    """e^x to within 0.91 ulp for every float32, results below the normal range included; NaN gives NaN.

    2^n is applied as two factors, neither of which is out of range, so that the result is rounded once: 2^127 and
    2^(n - 127) for a positive n, else 2^-123 and 2^(n + 123).
    """
    inside = MOST if x > MOST else x  # NaN passes: every comparison with it is false
    inside = LEAST if inside < LEAST else inside
    m, n = exp_parts(inside, NOTHING)
    moved = NONE if n > NONE else MINUS_250
    return m * from_bits(PLUS_254 + moved) * from_bits(n - moved)
