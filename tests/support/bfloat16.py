"""bfloat16 by exact arithmetic in float64: the judge of the kernels that keep numbers in it."""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST_EXPONENT = -133  # of the smallest subnormal bfloat16
LARGEST = float(np.float32(3.3895313892515355e38))


def rounded(x: Any) -> Any:
    """The nearest bfloat16 of each float32, ties to even, as float32; beyond the largest, infinity."""
    wide = np.asarray(x, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        _, exponent = np.frexp(wide)
        unit = np.ldexp(1.0, np.maximum(exponent - 8, LEAST_EXPONENT))
        near = np.rint(wide / unit) * unit
        near = np.where(np.isfinite(wide), near, wide)
        return np.where(np.abs(near) > LARGEST, np.copysign(np.inf, near), near).astype(np.float32)


def widened(x: Any) -> Any:
    """The float32 of each bfloat16 given by its bits."""
    return (np.asarray(x, np.uint32) << np.uint32(16)).view(np.float32)
