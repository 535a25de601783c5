"""The normal distribution's upper tail, as GELU in its exact form needs it."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import fma
from bendtorch.kernels.vecmath.exp import ONE, exp_of_negative

MINUS_HALF: Final = np.float32(-0.5)
MOST: Final = np.float32(14.5)  # the tail is zero from 14.2 on

# g = p(a) / q(a), from reference/kernels/fit.py
TAIL_0: Final = np.float32(0.5)
TAIL_1: Final = np.float32(0.4375959038734436)
TAIL_2: Final = np.float32(0.1826908439397812)
TAIL_3: Final = np.float32(0.040442053228616714)
TAIL_4: Final = np.float32(0.00408563856035471)
TAIL_BELOW_1: Final = np.float32(1.6730766296386719)
TAIL_BELOW_2: Final = np.float32(1.200299859046936)
TAIL_BELOW_3: Final = np.float32(0.4680267870426178)
TAIL_BELOW_4: Final = np.float32(0.10137977451086044)
TAIL_BELOW_5: Final = np.float32(0.010241054929792881)


@helper
def tail_parts(a: np.float32) -> tuple[np.float32, np.float32]:
    """e and g for a >= 0, where e = e^(-a²/2), and e·g is the chance that a normally distributed number is above a.

    The rounding of a²/2 would be off by many ulp in e, so what it drops goes into the exponent too. NaN gives NaN.
    """
    inside = MOST if a > MOST else a
    half = MINUS_HALF * inside
    power = half * inside
    above = fma(fma(fma(fma(TAIL_4, inside, TAIL_3), inside, TAIL_2), inside, TAIL_1), inside, TAIL_0)
    below = fma(fma(fma(TAIL_BELOW_5, inside, TAIL_BELOW_4), inside, TAIL_BELOW_3), inside, TAIL_BELOW_2)
    below = fma(fma(below, inside, TAIL_BELOW_1), inside, ONE)
    return exp_of_negative(power, fma(half, inside, -power)), above / below
