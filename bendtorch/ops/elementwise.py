"""Operations on matrices, number by number: any function of one or two numbers, and the common ones by name.

    map(f, x)       f(x[i, j])                    x: n × c
    zip(f, a, b)    f(a[i, j], b[i, j])           a, b: n × c

Results are new float32 matrices. The elementary functions are the project's own; NaN gives NaN. Their largest errors
over all float32 numbers are 0.9 ulp (`exp`), 1 (`log`), 1.1 (`tanh`), 1.7 (`sigmoid`) and 0.9 (`erf`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bendtorch.kernels import activation, elementwise
from bendtorch.kernels.mapping import Map, Zip
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.scalars import map_of, zip_of
from bendtorch.ops.guards import operand, operands
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, N


def map(f: Callable[[Any], Any], x: Mat[N, C]) -> Mat[N, C]:  # noqa: A001  the field's word
    """f of every number.

    `f` is a function of one number, which is compiled (see `ActOut` on what it may use, and on speed). Raises
    `ConfigError` when it cannot be, `ShapeError` or `DtypeError` when x is not a float32 matrix.
    """
    return _mapped(map_of(f, "map: f"), "map", x)


def zip(f: Callable[[Any, Any], Any], a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:  # noqa: A001  the field's word
    """f of the numbers that stand in the same place of two matrices of one shape. Raises as `map` does."""
    return _zipped(zip_of(f, "zip: f"), "zip", a, b)


def exp(x: Mat[N, C]) -> Mat[N, C]:
    """e^x."""
    return _mapped(elementwise.exp, "exp", x)


def log(x: Mat[N, C]) -> Mat[N, C]:
    """The natural logarithm; -inf for zeros, NaN below."""
    return _mapped(elementwise.log, "log", x)


def tanh(x: Mat[N, C]) -> Mat[N, C]:
    """The hyperbolic tangent."""
    return _mapped(elementwise.tanh, "tanh", x)


def sigmoid(x: Mat[N, C]) -> Mat[N, C]:
    """1 / (1 + e^-x)."""
    return _mapped(elementwise.sigmoid, "sigmoid", x)


def erf(x: Mat[N, C]) -> Mat[N, C]:
    """The error function."""
    return _mapped(elementwise.erf, "erf", x)


def relu(x: Mat[N, C]) -> Mat[N, C]:
    """0 where x < 0, else x: NaN and -0 stay."""
    return _mapped(activation.relu_forward, "relu", x)


def _mapped(kernel: Map, name: str, x: Mat[N, C]) -> Mat[N, C]:
    x = operand(x, name, "x")
    n, c = x.shape
    out = empty_mat(n, c)
    kernel(x, out)
    return out


def _zipped(kernel: Zip, name: str, a: Mat[N, C], b: Mat[N, C]) -> Mat[N, C]:
    a, b = operands(a, b, name)
    n, c = a.shape
    out = empty_mat(n, c)
    kernel(a, b, out)
    return out
