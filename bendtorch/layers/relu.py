"""ReLU: y = x where x > 0, else 0, element by element.

    x, y: n × c

NaN stays NaN and -0 stays -0 (y is 0 only where x < 0). Backward: dx = dy where y > 0 or is NaN, else +0. It saves its
output, which the next layer saves as its input anyway, so nothing is stored twice.
"""

from __future__ import annotations

from bendtorch.kernels.activation import relu_backward, relu_forward
from bendtorch.layer import Layer, Unit
from bendtorch.layers.activation import saving_output
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def ReLU(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The rectifier on `n` rows of `c` numbers: PyTorch's `nn.ReLU`.

    Raises `ShapeError` when a size is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another
    shape or type.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L67, L69.
    """
    return saving_output("ReLU", relu_forward, relu_backward, n, c)
