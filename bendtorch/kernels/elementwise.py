"""Operations on matrices, number by number, that are one instruction or one elementary function.

Sums and products move 12 bytes for one FLOP, so they run at memory's speed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels import vecmath
from bendtorch.kernels.compile import helper
from bendtorch.kernels.mapping import mapped, zipped

ZERO: Final = np.float32(0)


@helper
def _add(a: np.float32, b: np.float32) -> np.float32:
    return a + b


@helper
def _multiply(a: np.float32, b: np.float32) -> np.float32:
    return a * b


@helper
def _maximum(a: np.float32, b: np.float32) -> np.float32:
    return a if a >= b or a != a else b  # NaN of either; the first of equals


@helper
def _minimum(a: np.float32, b: np.float32) -> np.float32:
    return a if a <= b or a != a else b


@helper
def _negative(x: np.float32) -> np.float32:
    return -x


@helper
def _square(x: np.float32) -> np.float32:
    return x * x


@helper
def _sqrt(x: np.float32) -> np.float32:
    return np.float32(np.sqrt(x))


add: Final = zipped(_add)
"""out = a + b."""
multiply: Final = zipped(_multiply)
"""out = a · b, number by number."""
maximum: Final = zipped(_maximum)
"""out = the larger of a and b; NaN where either is NaN; of equal numbers (0 and -0) the first."""
minimum: Final = zipped(_minimum)
"""out = the smaller of a and b, by the same rules."""
negative: Final = mapped(_negative)
"""out = -x."""
square: Final = mapped(_square)
"""out = x²."""
sqrt: Final = mapped(_sqrt)
"""out = √x, correctly rounded; NaN below zero."""
exp: Final = mapped(vecmath.exp)
"""out = e^x."""
log: Final = mapped(vecmath.log)
"""out = ln x."""
tanh: Final = mapped(vecmath.tanh)
"""out = tanh x."""
sigmoid: Final = mapped(vecmath.sigmoid)
"""out = 1 / (1 + e^-x)."""
erf: Final = mapped(vecmath.erf)
"""out = erf x."""
