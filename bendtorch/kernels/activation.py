"""The activations: for each a function of one number, and the gradient of its input.

The orders of operations are those of PyTorch where that decides how exact a result is. Where another form of the same
function is more exact, that one is taken: for GELU x·sigmoid(2u) in place of x/2·(1 + tanh u), which loses all digits
below -5, and for GELUErf the normal distribution's tail in place of 1 + erf.

With z = e^-|v|, which cannot overflow, sigmoid(v) and sigmoid(-v) are 1 / (1 + z) and z / (1 + z), in one order or the
other.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels import vecmath
from bendtorch.kernels.compile import helper
from bendtorch.kernels.mapping import mapped, zipped
from bendtorch.kernels.vecmath.normal import tail_parts
from bendtorch.kernels.vecmath.sigmoid import exp_of_minus_size

fma: Final = vecmath.fma

ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
# GELU's 2u = x·(SLOPE + BEND·x²), with SLOPE = 2·sqrt(2/π) and BEND = 0.044715·SLOPE
SLOPE: Final = np.float32(1.5957691216057308)
BEND: Final = np.float32(0.07135481282770025)
BEND_3: Final = np.float32(0.21406443848310075)  # of its derivative SLOPE + 3·BEND·x²
FAR: Final = np.float32(64)  # sigmoid(2u) is 0 or 1 from |x| = 10 on
ROOT_2_PI: Final = np.float32(0.3989422804014327)  # 1 / sqrt(2π)


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
    """x·sigmoid(v), rounded once less than the product; v has the sign of x."""
    z = exp_of_minus_size(v)
    return (x * z if v < ZERO else x) / (ONE + z)


@helper
def both_sigmoids(v: np.float32) -> tuple[np.float32, np.float32]:
    """sigmoid(v) and sigmoid(-v); the smaller one has no digits cancelled."""
    z = exp_of_minus_size(v)
    large = ONE / (ONE + z)
    small = z * large
    return (small, large) if v < ZERO else (large, small)


@helper
def silu(x: np.float32) -> np.float32:
    """x·sigmoid(x)."""
    return gated(x, x)


@helper
def silu_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·s·(1 + x·(1 - s)) with s = sigmoid(x)."""
    s, rest = both_sigmoids(x)
    return dy * (s * fma(x, rest, ONE))


@helper
def gelu(x: np.float32) -> np.float32:
    """x·sigmoid(2u)."""
    return gated(x, x * fma(BEND, x * x, SLOPE))


@helper
def gelu_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·s·(1 + x·(1 - s)·(2u)') with s = sigmoid(2u). (2u)' is kept finite where 1 - s or s is zero."""
    square = x * x
    s, rest = both_sigmoids(x * fma(BEND, square, SLOPE))
    slope = fma(BEND_3, FAR if square > FAR else square, SLOPE)
    return dy * (s * fma(x * rest, slope, ONE))


@helper
def gelu_erf(x: np.float32) -> np.float32:
    """x·Φ(x), where Φ(x) is the chance that a normally distributed number is below x."""
    e, g = tail_parts(abs(x))
    return x * (e * g if x < ZERO else fma(-e, g, ONE))


@helper
def gelu_erf_gradient(dy: np.float32, x: np.float32) -> np.float32:
    """dy·(Φ(x) + x·φ(x)), with the normal density φ: both have the factor e^(-x²/2)."""
    a = abs(x)
    e, g = tail_parts(a)
    h = fma(-ROOT_2_PI, a, g)
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
