"""The normal distribution's upper tail, for GELU in its exact form: an exponential and a quotient of polynomials.

45 FLOPs for both parts.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import fma
from bendtorch.kernels.vecmath.exp import ONE, exp_of_negative

MINUS_HALF: Final = np.float32(-0.5)

# (0.5 - g) / a = p(a) / q(a), from reference/kernels/fit.py
TAIL_0: Final = np.float32(0.39894232153892517)
TAIL_1: Final = np.float32(0.4024655222892761)
TAIL_2: Final = np.float32(0.18034981191158295)
TAIL_3: Final = np.float32(0.041752662509679794)
TAIL_4: Final = np.float32(0.004343843553215265)
TAIL_BELOW_1: Final = np.float32(1.6354902982711792)
TAIL_BELOW_2: Final = np.float32(1.1436187028884888)
TAIL_BELOW_3: Final = np.float32(0.4328418970108032)
TAIL_BELOW_4: Final = np.float32(0.09043770283460617)
TAIL_BELOW_5: Final = np.float32(0.00868767686188221)


@helper
def tail_parts(a: np.float32) -> tuple[np.float32, np.float32]:
    """e and r for a from 0 to 14.5: e = e^(-a²/2), and the chance that a normal number is above a is e·(0.5 - a·r).

    At 14.5 that is 0 in float32. In this form it is most exact where a is small and the chance matters most. The
    rounding of a²/2 would be off by many ulp in e, so what it drops goes into the exponent too. NaN gives NaN.
    """
    half = MINUS_HALF * a
    power = half * a
    above = fma(fma(fma(fma(TAIL_4, a, TAIL_3), a, TAIL_2), a, TAIL_1), a, TAIL_0)
    below = fma(fma(fma(TAIL_BELOW_5, a, TAIL_BELOW_4), a, TAIL_BELOW_3), a, TAIL_BELOW_2)
    below = fma(fma(below, a, TAIL_BELOW_1), a, ONE)
    return exp_of_negative(power, fma(half, a, -power)), above / below
