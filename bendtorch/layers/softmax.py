"""Softmax: y = exp(x) / Σ exp(x), each row on its own.

    x, y: n × c

It is computed as exp(x - m) / Σ exp(x - m), with m the largest number of the row, so that no exponential overflows. A
row that is all -inf gives zeros; a row with +inf or NaN gives NaN, as in PyTorch. Backward, from dy:
dx = y·(dy - Σ y·dy). It saves its output.
"""

from __future__ import annotations

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.softmax import softmax_backward, softmax_forward
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def Softmax(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """Softmax over each of `n` rows of `c` numbers: PyTorch's `nn.Softmax(dim=1)`.

    PyTorch gives NaN for a row that is all -inf; here it is zeros, with a zero gradient. Raises `ShapeError` when a
    size is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51 to L53, L69.
    """
    name, shape, spec = f"Softmax({n}, {c})", (n, c), mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        y = empty_mat(n, c)
        softmax_forward(guard_mat(x, shape, name, "x"), y)
        return Fwd(y, y)

    def bwd(p: Unit, s: Mat[N, C], dy: Mat[N, C], g: Unit) -> Bwd[Unit, Mat[N, C]]:
        dx = empty_mat(n, c)
        softmax_backward(guard_mat(s, shape, name, "the saved output"), guard_mat(dy, shape, name, "dy"), dx)
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, Info("Softmax", {"n": n, "c": c}, spec, spec, spec))
