"""Where a core's input comes from in its backward pass: it is saved, or normalised once more.

    kept:        s = (x, the core's)
    normalised:  s = (x, k, the core's), for x the input of an RMSNorm before the core, and k a number a row

Both give passes on a list of parameters: y, s = fwd(ps, x);  dx = bwd(ps, s, dy, gs), which adds into the gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.rms_norm import rms_norm_again, rms_norm_backward, rms_norm_forward
from bendtorch.rewrite.cores import Core, Values, guard_saved
from bendtorch.shapes.guard import guard_mat, guard_target
from bendtorch.shapes.spec import Spec, mat_spec


class Passes(NamedTuple):
    """A forward and a backward pass on a list of parameters, and what the one saves for the other."""

    saves: Spec
    fwd: Callable[[Values, Any], tuple[Any, Any]]
    bwd: Callable[[Values, Any, Any, Values], Any]


def kept(core: Core, name: str) -> Passes:
    """A core that saves its input."""

    def fwd(ps: Values, x: Any) -> tuple[Any, Any]:
        x = guard_mat(x, core.shape, name, "x")
        y, s = core.fwd(ps, x)
        return y, (x, s)

    def bwd(ps: Values, s: Any, dy: Any, gs: Values) -> Any:
        guard_saved(s, 2, name)
        return core.bwd(ps, guard_mat(s[0], core.shape, name, "the saved input"), s[1], dy, gs)

    return Passes((mat_spec(*core.shape), core.saves), fwd, bwd)


def normalised(core: Core, eps: float, name: str) -> Passes:
    """An RMSNorm and a core. The first parameter is the norm's gain."""
    n, c = shape = core.shape
    gain = (1, c)

    def fwd(ps: Values, x: Any) -> tuple[Any, Any]:
        x, w = guard_mat(x, shape, name, "x"), guard_mat(ps[0], gain, name, "weight")
        normal, roots = empty_mat(n, c), empty_mat(n, 1)
        rms_norm_forward(x, w, eps, normal, roots)
        y, s = core.fwd(ps[1:], normal)
        return y, (x, roots, s)

    def bwd(ps: Values, s: Any, dy: Any, gs: Values) -> Any:
        guard_saved(s, 3, name)
        x, roots = guard_mat(s[0], shape, name, "the saved input"), guard_mat(s[1], (n, 1), name, "the saved roots")
        w, target = guard_mat(ps[0], gain, name, "weight"), guard_target(gs[0], gain, name, "the gradient")
        normal, dx = empty_mat(n, c), empty_mat(n, c)
        rms_norm_again(x, w, roots, normal)
        rms_norm_backward(x, roots, w, core.bwd(ps[1:], normal, s[2], dy, gs[1:]), dx, target)
        return dx

    return Passes((mat_spec(n, c), mat_spec(n, 1), core.saves), fwd, bwd)
