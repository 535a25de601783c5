"""Add2 and Mul2: the sum and the product of a pair of matrices, number by number."""

from __future__ import annotations

from bendtorch.kernels.elementwise import add, multiply
from bendtorch.kernels.memory import empty_mat
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.layer.given import guard_pair
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def Add2(n: Dim[N], c: Dim[C]) -> Layer[Unit, tuple[Mat[N, C], Mat[N, C]], Mat[N, C], Unit]:
    """y = a + b of a pair of n × c matrices;  da = db = dy.

    Raises `ShapeError` when a size is not possible; its passes raise `ShapeError` or `DtypeError` for other arrays.

    Laws: L17, L24 to L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    name, shape, spec = f"Add2({n}, {c})", (n, c), mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def fwd(p: Unit, x: tuple[Mat[N, C], Mat[N, C]]) -> Fwd[Mat[N, C], Unit]:
        guard_pair(x, name, "x")
        y = empty_mat(n, c)
        add(guard_mat(x[0], shape, name, "the first of x"), guard_mat(x[1], shape, name, "the second of x"), y)
        return Fwd(y, ())

    def bwd(p: Unit, s: Unit, dy: Mat[N, C], g: Unit) -> Bwd[Unit, tuple[Mat[N, C], Mat[N, C]]]:
        dy = guard_mat(dy, shape, name, "dy")
        return Bwd((dy, dy), g)

    return make_layer(no_params(), fwd, bwd, Info("Add2", {"n": n, "c": c}, (spec, spec), spec, ()))


def Mul2(n: Dim[N], c: Dim[C]) -> Layer[Unit, tuple[Mat[N, C], Mat[N, C]], Mat[N, C], tuple[Mat[N, C], Mat[N, C]]]:
    """y = a · b of a pair of n × c matrices, number by number;  da = dy · b,  db = dy · a.  It saves the pair.

    Raises as `Add2` does.

    Laws: L18, L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    name, shape, spec = f"Mul2({n}, {c})", (n, c), mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def fwd(p: Unit, x: tuple[Mat[N, C], Mat[N, C]]) -> Fwd[Mat[N, C], tuple[Mat[N, C], Mat[N, C]]]:
        guard_pair(x, name, "x")
        a, b = guard_mat(x[0], shape, name, "the first of x"), guard_mat(x[1], shape, name, "the second of x")
        y = empty_mat(n, c)
        multiply(a, b, y)
        return Fwd(y, (a, b))

    def bwd(p: Unit, s: tuple[Mat[N, C], Mat[N, C]], dy: Mat[N, C], g: Unit) -> Bwd[Unit, tuple[Mat[N, C], Mat[N, C]]]:
        guard_pair(s, name, "the saved pair")
        a, b = guard_mat(s[0], shape, name, "the saved first"), guard_mat(s[1], shape, name, "the saved second")
        dy = guard_mat(dy, shape, name, "dy")
        da, db = empty_mat(n, c), empty_mat(n, c)
        multiply(dy, b, da)
        multiply(dy, a, db)
        return Bwd((da, db), g)

    return make_layer(no_params(), fwd, bwd, Info("Mul2", {"n": n, "c": c}, (spec, spec), spec, (spec, spec)))
