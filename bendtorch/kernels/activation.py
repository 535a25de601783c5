"""The activations: for each a function of one number, and the gradient of its input.

The orders of operations are those of PyTorch where that decides how exact a result is. Where another form of the same
function is more exact, that one is taken: for GELU x·sigmoid(2u) in place of x/2·(1 + tanh u), which loses all digits
below -5, and for GELUErf the normal distribution's tail in place of 1 + erf.

Forward 8 bytes a number, backward 12. FLOPs, of which an fma has two and comparisons and moves of bits none:

              ReLU   sigmoid   tanh   SiLU   GELU   GELUErf
    forward     0       26      37     25     29       51
    backward    0        3       3     29     36       52

sigmoid(v) is taken as p / d with a power of two for p (`odds`), so that a product with it is rounded once less.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels import vecmath
from bendtorch.kernels.compile import helper
from bendtorch.kernels.mapping import mapped, zipped
from bendtorch.kernels.vecmath.normal import tail_parts
from bendtorch.kernels.vecmath.sigmoid import odds

fma: Final = vecmath.fma

ZERO: Final = np.float32(0)
HALF: Final = np.float32(0.5)
ONE: Final = np.float32(1)
# GELU's 2u = x·(SLOPE + BEND·x²), with SLOPE = 2·sqrt(2/π) and BEND = 0.044715·SLOPE
SLOPE: Final = np.float32(1.5957691216057308)
BEND: Final = np.float32(0.07135481282770025)
BEND_3: Final = np.float32(0.21406443848310075)  # of its derivative SLOPE + 3·BEND·x²
FAR: Final = np.float32(144)  # sigmoid(2u) is 0 or 1 from |x| = 11 on
FARTHEST: Final = np.float32(14.5)  # a normally distributed number is never above
DENSITY: Final = np.float32(0.3989422804014327)  # φ(0) = 1 / sqrt(2π)


@helper
def relu(x: np.float32) -> np.float32:
    """0 where x < 0, else x: NaN and -0 stay."""
    return ZERO if x < ZERO else x


@helper
def relu_gradient(dy: np.float32, y: np.float32) -> np.float32:
    """+0 where y <= 0, else dy."""
    return ZERO if y <= ZERO else dy


@helper
def sigmoid_gradient(dy: np.float32, y: np.float32) -> np.float32:
    """dy·(1 - y)·y."""
    return dy * (ONE - y) * y


@helper
def tanh_gradient(dy: np.float32, y: np.float32) -> np.float32:
    """dy·(1 - y²)."""
    return dy * fma(-y, y, ONE)


@helper
def gated(x: np.float32, v: np.float32) -> np.float32:
    """x·sigmoid(v), rounded twice; v has the sign of x."""
    p, d = odds(v)
    return x * p / d


@helper
def silu(x: np.float32) -> np.float32:
    """x·sigmoid(x)."""
    return gated(x, x)


@helper
def silu_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·s·(1 + x·(1 - s)) with s = sigmoid(x)."""
    p, d = odds(x)
    s = p / d
    return dy * (s * fma(x, ONE - s, ONE))


@helper
def gelu(x: np.float32) -> np.float32:
    """x·sigmoid(2u)."""
    return gated(x, x * fma(BEND, x * x, SLOPE))


@helper
def gelu_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·(s + x·s·(1 - s)·(2u)') with s = sigmoid(2u). (2u)' is kept finite where s·(1 - s) is zero."""
    square = x * x
    p, d = odds(x * fma(BEND, square, SLOPE))
    s = p / d
    slope = fma(BEND_3, FAR if square > FAR else square, SLOPE)
    return dy * fma(x * (s * (ONE - s)), slope, s)


@helper
def gelu_erf(x: np.float32) -> np.float32:
    """x·Φ(x), where Φ(x) is the chance that a normally distributed number is below x, as max(x, 0) - |x|·Φ(-|x|)."""
    a = abs(x)
    a = FARTHEST if a > FARTHEST else a
    e, r = tail_parts(a)
    g = fma(-a, r, HALF)
    return fma(-(a * e), g, x * ZERO if x < ZERO else x)  # x·0 is NaN for minus infinity, as PyTorch has it


@helper
def gelu_erf_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·(Φ(x) + x·φ(x)), with the normal density φ: both have the factor e^(-x²/2)."""
    a = abs(x)
    e, r = tail_parts(FARTHEST if a > FARTHEST else a)
    h = fma(-a, r + DENSITY, HALF)
    return dy * (e * h if x < ZERO else fma(-e, h, ONE))


relu_forward: Final = mapped(relu)
relu_backward: Final = zipped(relu_gradient)
sigmoid_backward: Final = zipped(sigmoid_gradient)
tanh_backward: Final = zipped(tanh_gradient)
silu_forward: Final = mapped(silu)
silu_backward: Final = zipped(silu_gradient)
gelu_forward: Final = mapped(gelu)
gelu_backward: Final = zipped(gelu_gradient)
gelu_erf_forward: Final = mapped(gelu_erf)
gelu_erf_backward: Final = zipped(gelu_erf_gradient)
