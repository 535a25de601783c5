"""Operations on matrices, number by number, that are one instruction or one elementary function.

Sums and products move 12 bytes for one FLOP, a root 8 bytes for one, so they run at memory's speed. The elementary
functions move 8 bytes; their FLOPs stand in `vecmath`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels import vecmath
from bendtorch.kernels.compile import helper
from bendtorch.kernels.mapping import mapped, zipped


@helper
def _add(a: np.float32, b: np.float32) -> np.float32:
    return a + b


@helper
def _multiply(a: np.float32, b: np.float32) -> np.float32:
    return a * b


@helper
def _sqrt(x: np.float32) -> np.float32:
    return np.float32(np.sqrt(x))


add: Final = zipped(_add)
"""out = a + b."""
multiply: Final = zipped(_multiply)
"""out = a · b, number by number."""
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
