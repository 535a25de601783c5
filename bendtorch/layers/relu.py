"""ReLU: y = x where x > 0, else 0, element by element.

    x, y: n × c

NaN stays NaN and -0 stays -0 (y is 0 only where x < 0). Backward: dx = dy where y > 0 or is NaN, else +0. It saves its
output, which the next layer saves as its input anyway, so nothing is stored twice.
"""

from __future__ import annotations

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.relu import relu_backward, relu_forward
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec


def ReLU(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The rectifier on `n` rows of `c` numbers: PyTorch's `nn.ReLU`.

    Raises `ShapeError` when a size is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another
    shape or type.

    Laws: L24 to L28, L31 to L36, L52, L67, L69.
    """
    name, shape, spec = f"ReLU({n}, {c})", (n, c), mat_spec(n, c)
    check_sizes(name, n=n, c=c)

    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Mat[N, C]]:
        y = empty_mat(n, c)
        relu_forward(guard_mat(x, shape, name, "x"), y)
        return Fwd(y, y)

    def bwd(p: Unit, s: Mat[N, C], dy: Mat[N, C], g: Unit) -> Bwd[Unit, Mat[N, C]]:
        dx = empty_mat(n, c)
        relu_backward(guard_mat(s, shape, name, "the saved output"), guard_mat(dy, shape, name, "dy"), dx)
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, Info("ReLU", {"n": n, "c": c}, spec, spec, spec))
