"""The hyperbolic tangent: a polynomial near zero, an exponential elsewhere; both are computed. 37 FLOPs."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import fma, with_sign
from bendtorch.kernels.vecmath.exp import NOTHING, ONE, exp_parts, scaled

TWO: Final = np.float32(2)
SMALL: Final = np.float32(0.7)
ALL: Final = np.float32(10)  # tanh is 1 from 9.01 on

# p(s) in tanh(a) = a + a·s·p(s) with s = a², from reference/kernels/fit.py
TANH_0: Final = np.float32(-0.3333319127559662)
TANH_1: Final = np.float32(0.1332913190126419)
TANH_2: Final = np.float32(-0.05355997011065483)
TANH_3: Final = np.float32(0.02009437419474125)
TANH_4: Final = np.float32(-0.005140512716025114)


@helper
def tanh(x: np.float32) -> np.float32:
    """tanh x to within 1.1 ulp for every float32; keeps the sign of zero; NaN gives NaN.

    A polynomial up to 0.7, 1 - 2 / (1 + e^2a) above; both are computed, and one is chosen.
    """
    a = abs(x)
    a = ALL if a > ALL else a
    s = a * a
    p = fma(fma(fma(fma(TANH_4, s, TANH_3), s, TANH_2), s, TANH_1), s, TANH_0)
    m, n = exp_parts(a + a, NOTHING)
    y = ONE - TWO / (ONE + scaled(m, n)) if a > SMALL else fma(p * s, a, a)
    return with_sign(y, x)
