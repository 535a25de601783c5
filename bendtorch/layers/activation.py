"""ActOut and ActIn: element-wise layers from a function and the gradient of its input.

    x, y: n × c      y = f(x)      ActOut: dx = d(dy, y), saves y      ActIn: dx = d(dy, x), saves x

`f` and `d` are functions of numbers, applied to every element. An activation whose derivative is a function of its
output (the logistic function: y·(1 - y)) saves that output, which the next layer saves as its input anyway; others save
their input.

    def leaky(x: float) -> float:
        return x if x > 0 else 0.01 * x

    def leaky_gradient(dy: float, x: float) -> float:
        return dy if x > 0 else 0.01 * dy

    layer = Linear(32, 64, 128) >> ActIn(leaky, leaky_gradient, 32, 128)

The functions are compiled and run in vector lanes if they have no branches but choices between numbers. `math.exp` and
its like are calls, one number at a time; those of `bendtorch.kernels.vecmath` (exp, log, tanh, sigmoid, erf) are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from bendtorch.kernels.mapping import Map, Zip
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.scalars import map_of, zip_of
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec

Function: TypeAlias = Callable[[Any], Any]
Gradient: TypeAlias = Callable[[Any, Any], Any]


def ActOut(f: Function, d: Gradient, n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """y = f(x), dx = d(dy, y) on `n` rows of `c` numbers; it saves y.

    Raises `ConfigError` when f or d takes another number of arguments or cannot be compiled, `ShapeError` when a size
    is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69; L24, L26 to L28 and L35 if d is the derivative of f
    times dy.
    """
    return saving_output("ActOut", map_of(f, "ActOut: f"), zip_of(d, "ActOut: d"), n, c)


def ActIn(f: Function, d: Gradient, n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """y = f(x), dx = d(dy, x) on `n` rows of `c` numbers; it saves x. Raises as `ActOut` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69; as for `ActOut`, some if d is the derivative of f
    times dy.
    """
    return saving_input("ActIn", map_of(f, "ActIn: f"), zip_of(d, "ActIn: d"), n, c)


def saving_output(
    kind: str, forward: Map, backward: Zip, n: Dim[N], c: Dim[C]
) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The layer `kind` of two kernels: y = forward(x), dx = backward(dy, y)."""
    name, shape, info = _described(kind, n, c)

    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        y = empty_mat(n, c)
        forward(guard_mat(x, shape, name, "x"), y)
        return Fwd(y, y)

    return make_layer(no_params(), fwd, _backward(backward, name, "the saved output", n, c), info)


def saving_input(
    kind: str, forward: Map, backward: Zip, n: Dim[N], c: Dim[C]
) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The layer `kind` of two kernels: y = forward(x), dx = backward(dy, x)."""
    name, shape, info = _described(kind, n, c)

    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        x = guard_mat(x, shape, name, "x")
        y = empty_mat(n, c)
        forward(x, y)
        return Fwd(y, x)

    return make_layer(no_params(), fwd, _backward(backward, name, "the saved input", n, c), info)


def _described(kind: str, n: int, c: int) -> tuple[str, tuple[int, int], Info]:
    """The layer's name, the shape of all its arrays, and what it says of itself; refuses sizes that it cannot have."""
    name, spec = f"{kind}({n}, {c})", mat_spec(n, c)
    check_sizes(name, n=n, c=c)
    return name, (n, c), Info(kind, {"n": n, "c": c}, spec, spec, spec)


def _backward(
    backward: Zip, name: str, saved: str, n: Dim[N], c: Dim[C]
) -> Callable[[Unit, Mat[N, C], Mat[N, C], Unit], Bwd[Unit, Mat[N, C]]]:
    """The backward pass, from dy and the saved matrix."""

    def bwd(p: Unit, s: Mat[N, C], dy: Mat[N, C], g: Unit) -> Bwd[Unit, Mat[N, C]]:
        s, dy = guard_mat(s, (n, c), name, saved), guard_mat(dy, (n, c), name, "dy")
        dx = empty_mat(n, c)
        backward(dy, s, dx)
        return Bwd(dx, g)

    return bwd
