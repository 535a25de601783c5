"""Elementary functions on float32 that LLVM turns into vector code: polynomials without branches.

numba calls the scalar C library for `math.exp`, which is up to 16 times slower. Every constant is a float32: inside a
kernel a float32 times a Python float is a float64.

They touch no memory. FLOPs, of which an fma has two and choices and moves of bits none: exp 21, log 25, sigmoid 26,
tanh 37, erf 52, the normal distribution's tail 45.
"""

from __future__ import annotations

from bendtorch.kernels.vecmath.bits import at_least, bits, fma, from_bits, maximum, with_sign
from bendtorch.kernels.vecmath.erf import erf
from bendtorch.kernels.vecmath.exp import exp, exp_nonpositive
from bendtorch.kernels.vecmath.log import log
from bendtorch.kernels.vecmath.sigmoid import sigmoid
from bendtorch.kernels.vecmath.tanh import tanh

__all__ = [
    "at_least",
    "bits",
    "erf",
    "exp",
    "exp_nonpositive",
    "fma",
    "from_bits",
    "log",
    "maximum",
    "sigmoid",
    "tanh",
    "with_sign",
]
