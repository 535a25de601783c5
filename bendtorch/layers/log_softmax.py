"""LogSoftmax: y = log softmax(x) = x - log Σ exp(x), each row on its own.

    x, y: n × c

It is computed as (x - m) - log Σ exp(x - m), with m the largest number of the row; what is small beside exp(0) = 1 is
summed apart, so the logarithm of a probability near 1 keeps its digits. A row that is all -inf gives -inf; a row with
+inf or NaN gives NaN, as in PyTorch. Backward, from dy: dx = dy - exp(y)·Σ dy. It saves its output.
"""

from __future__ import annotations

from bendtorch.kernels.log_softmax import log_softmax_backward, log_softmax_forward
from bendtorch.kernels.memory import empty_mat
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def LogSoftmax(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The logarithm of softmax over each of `n` rows of `c` numbers: PyTorch's `nn.LogSoftmax(dim=1)`.

    PyTorch gives NaN for a row that is all -inf; here it stays -inf, with a zero gradient. Raises `ShapeError` when a
    size is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51 to L53, L69; L53 of its exponentials.
    """
    name, shape, spec = f"LogSoftmax({n}, {c})", (n, c), mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        y = empty_mat(n, c)
        log_softmax_forward(guard_mat(x, shape, name, "x"), y)
        return Fwd(y, y)

    def bwd(p: Unit, s: Mat[N, C], dy: Mat[N, C], g: Unit) -> Bwd[Unit, Mat[N, C]]:
        dx = empty_mat(n, c)
        log_softmax_backward(guard_mat(s, shape, name, "the saved output"), guard_mat(dy, shape, name, "dy"), dx)
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, Info("LogSoftmax", {"n": n, "c": c}, spec, spec, spec))
