"""The cores of a transformer's block: several products of one input, and a gated layer whole.

Products:  y_i = x·W_iᵀ      dx = Σ dy_i·W_i      dW_i += dy_iᵀ·x
Gated:     h = silu(x·W1ᵀ) · x·W3ᵀ,  y = h·W2ᵀ      it saves x·W1ᵀ and x·W3ᵀ; the backward pass computes h once more

A core does not keep its input: the backward pass is given it (see `inputs`). The sums are taken in the order of the
layers that it stands for, so that every bit is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from bendtorch.kernels.gate import gate, gate_backward
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.products import matmul_nn, matmul_nn_add, matmul_nt, matmul_tn_add
from bendtorch.layer.given import wrong
from bendtorch.rewrite.nest import Nest, apart, together
from bendtorch.shapes.guard import guard_mat, guard_target
from bendtorch.shapes.spec import Spec, mat_spec

Values: TypeAlias = Sequence[Any]


class Core(NamedTuple):
    """Passes on a matrix of `shape` and a list of parameters: y, s = fwd(ps, x);  dx = bwd(ps, x, s, dy, gs).

    The backward pass adds into the gradients `gs`. The input of both is checked already. `saves` is what `s` is.
    """

    shape: tuple[int, int]
    saves: Spec
    fwd: Callable[[Values, Any], tuple[Any, Any]]
    bwd: Callable[[Values, Any, Any, Any, Values], Any]


def guard_saved(s: Any, count: int, layer: object) -> None:
    """Refuse saved values that are no tuple of `count`."""
    if not isinstance(s, tuple) or len(s) != count:
        raise wrong(s, layer, "the saved values", f"a tuple of {count}")


def products_core(n: int, i: int, widths: Sequence[int], nest: Nest, name: str) -> Core:
    """Linear layers without bias, of several widths, on one input; their outputs lie in a nest."""
    last = len(widths) - 1

    def fwd(ps: Values, x: Any) -> tuple[Any, Any]:
        ys: list[Any] = []
        for w, o in zip(ps, widths, strict=True):
            y = empty_mat(n, o)
            matmul_nt(x, guard_mat(w, (o, i), name, "weight"), y)
            ys.append(y)
        return together(nest, iter(ys)), ()

    def bwd(ps: Values, x: Any, s: Any, dy: Any, gs: Values) -> Any:
        guard_saved(s, 0, name)
        dx, dys = empty_mat(n, i), apart(nest, dy, name, "dy")
        for place in range(last, -1, -1):
            o = widths[place]
            d, w = guard_mat(dys[place], (n, o), name, "dy"), guard_mat(ps[place], (o, i), name, "weight")
            matmul_tn_add(d, x, guard_target(gs[place], (o, i), name, "the gradient"))
            (matmul_nn if place == last else matmul_nn_add)(d, w, dx)
        return dx

    return Core((n, i), (), fwd, bwd)


def gated_core(n: int, i: int, f: int, o: int, name: str) -> Core:
    """`Fork(LinearNB(n, i, f) >> SiLU(n, f), LinearNB(n, i, f)) >> Mul2(n, f) >> LinearNB(n, f, o)`."""
    inner, outer = (f, i), (o, f)

    def weights(ps: Values) -> tuple[Any, Any, Any]:
        w1, _, w3, _, w2 = ps
        shapes = ((w1, inner), (w3, inner), (w2, outer))
        one, three, two = (guard_mat(w, shape, name, "weight") for w, shape in shapes)
        return one, three, two

    def fwd(ps: Values, x: Any) -> tuple[Any, Any]:
        w1, w3, w2 = weights(ps)
        a, b, h, y = empty_mat(n, f), empty_mat(n, f), empty_mat(n, f), empty_mat(n, o)
        matmul_nt(x, w1, a)
        matmul_nt(x, w3, b)
        gate(a, b, h)
        matmul_nt(h, w2, y)
        return y, (a, b)

    def bwd(ps: Values, x: Any, s: Any, dy: Any, gs: Values) -> Any:
        guard_saved(s, 2, name)
        w1, w3, w2 = weights(ps)
        g1, _, g3, _, g2 = gs
        a, b = guard_mat(s[0], (n, f), name, "the saved values"), guard_mat(s[1], (n, f), name, "the saved values")
        dy, dh, dx = guard_mat(dy, (n, o), name, "dy"), empty_mat(n, f), empty_mat(n, i)
        da, db, h = empty_mat(n, f), empty_mat(n, f), empty_mat(n, f)
        matmul_nn(dy, w2, dh)
        gate_backward(dh, a, b, da, db, h)
        matmul_tn_add(dy, h, guard_target(g2, outer, name, "the gradient"))
        matmul_tn_add(db, x, guard_target(g3, inner, name, "the gradient"))
        matmul_tn_add(da, x, guard_target(g1, inner, name, "the gradient"))
        matmul_nn(db, w3, dx)
        matmul_nn_add(da, w1, dx)
        return dx

    return Core((n, i), (mat_spec(n, f), mat_spec(n, f)), fwd, bwd)
