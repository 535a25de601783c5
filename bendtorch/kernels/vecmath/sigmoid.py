"""The logistic function, 1 / (1 + e^-x)."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.vecmath.bits import fma
from bendtorch.kernels.vecmath.exp import LEAST, NOTHING, ONE, exp_of_negative

ZERO: Final = np.float32(0)


@helper
def exp_of_minus_size(x: np.float32) -> np.float32:
    """e^-|x|, for every float32."""
    below = -abs(x)
    return exp_of_negative(LEAST if below < LEAST else below, NOTHING)


@helper
def sigmoid(x: np.float32) -> np.float32:
    """1 / (1 + e^-x) to within 1.6 ulp for every float32; NaN gives NaN.

    With z = e^-|x|, which cannot overflow, and y = z / (1 + z): 1 - y for a positive x, y for a negative one. There y
    is taken once more as z - z·y, where the roundings of 1 + z and of the quotient weigh less.
    """
    z = exp_of_minus_size(x)
    y = z / (ONE + z)
    return ONE - y if x > ZERO else fma(-z, y, z)
