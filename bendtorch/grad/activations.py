"""Activations, by the formulas of the layers: relu, gelu, gelu_erf, silu.

Their gradients are operations too, with derivatives: `relu_gradient(d, y)` is d, but 0 where y <= 0, and
`gelu_gradient(d, x)` is d times the derivative at x, as are those of the others.
"""

from __future__ import annotations

import math
from typing import Final

from bendtorch.grad.elementwise import MAXIMUM, MINIMUM, binary, exp, recorded, sigmoid, unary
from bendtorch.grad.lazy import Op
from bendtorch.grad.rule import Elementwise
from bendtorch.grad.var import Var

BEND: Final = 0.044715  # of GELU's cubic term
ROOT: Final = math.sqrt(2 / math.pi)
FAR: Final = 15.0  # beyond, the second derivatives of GELU are 0 in float32
FARTHEST: Final = 110.0  # SiLU's

RELU_GRADIENT: Final[Elementwise] = Elementwise(
    "relu_gradient", Op.RELU_GRADIENT, (lambda e, d, y, z: recorded(RELU_GRADIENT, e, y), None)
)
GELU_GRADIENT: Final[Elementwise] = Elementwise(
    "gelu_gradient",
    Op.GELU_GRADIENT,
    (lambda e, d, x, z: recorded(GELU_GRADIENT, e, x), lambda e, d, x, z: e * d * _gelu_bend(x)),
)
GELU_ERF_GRADIENT: Final[Elementwise] = Elementwise(
    "gelu_erf_gradient",
    Op.GELU_ERF_GRADIENT,
    (lambda e, d, x, z: recorded(GELU_ERF_GRADIENT, e, x), lambda e, d, x, z: e * d * _gelu_erf_bend(x)),
)
SILU_GRADIENT: Final[Elementwise] = Elementwise(
    "silu_gradient",
    Op.SILU_GRADIENT,
    (lambda e, d, x, z: recorded(SILU_GRADIENT, e, x), lambda e, d, x, z: e * d * _silu_bend(x)),
)

RELU: Final = Elementwise("relu", Op.RELU, (lambda d, x, y: recorded(RELU_GRADIENT, d, y),))
GELU: Final = Elementwise("gelu", Op.GELU, (lambda d, x, y: recorded(GELU_GRADIENT, d, x),))
GELU_ERF: Final = Elementwise("gelu_erf", Op.GELU_ERF, (lambda d, x, y: recorded(GELU_ERF_GRADIENT, d, x),))
SILU: Final = Elementwise("silu", Op.SILU, (lambda d, x, y: recorded(SILU_GRADIENT, d, x),))


def _near(x: Var, bound: float) -> Var:
    """x, moved to where nothing computed from it is infinite."""
    return binary(MINIMUM, binary(MAXIMUM, x, -bound), bound)


def _gelu_bend(x: Var) -> Var:
    """GELU's second derivative: 2·s'·v' + x·(s''·v'² + s'·v'') with s = sigmoid(v), v = 2·√(2/π)·(x + 0.044715·x³)."""
    x = _near(x, FAR)
    square_x = x * x
    v = x * (2 * ROOT + 2 * ROOT * BEND * square_x)
    s = sigmoid(v)
    slope, bend = 2 * ROOT + 6 * ROOT * BEND * square_x, 12 * ROOT * BEND * x
    s1 = s * sigmoid(-v)  # 1 - s has no digits where s is near 1
    return 2.0 * s1 * slope + x * (s1 * (1.0 - 2.0 * s) * slope * slope + s1 * bend)


def _silu_bend(x: Var) -> Var:
    """SiLU's second derivative: 2·s' + x·s''."""
    x = _near(x, FARTHEST)
    s = sigmoid(x)
    return s * sigmoid(-x) * (2.0 + x * (1.0 - 2.0 * s))


def _gelu_erf_bend(x: Var) -> Var:
    """The second derivative of x·Φ(x): φ(x)·(2 - x²)."""
    x = _near(x, FAR)
    square_x = x * x
    return exp(-0.5 * square_x) * ((2.0 - square_x) * (1 / math.sqrt(2 * math.pi)))


def relu(x: Var) -> Var:
    """max(x, 0), as the layer `ReLU`: NaN stays NaN, the derivative at 0 is 0."""
    return unary(RELU, x)


def gelu(x: Var) -> Var:
    """GELU in its form with tanh, as the layer `GELU`: PyTorch's `gelu(x, approximate="tanh")`."""
    return unary(GELU, x)


def gelu_erf(x: Var) -> Var:
    """GELU in its form with erf, as the layer `GELUErf`: PyTorch's `gelu(x)`."""
    return unary(GELU_ERF, x)


def silu(x: Var) -> Var:
    """x · sigmoid(x), as the layer `SiLU`."""
    return unary(SILU, x)
