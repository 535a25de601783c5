"""Tanh: y = tanh x, element by element.

    x, y: n × c

Backward: dx = dy·(1 - y²). It saves its output.
"""

from __future__ import annotations

from bendtorch.kernels.activation import tanh_backward
from bendtorch.kernels.elementwise import tanh
from bendtorch.layer import Layer, Unit
from bendtorch.layers.activation import saving_output
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def Tanh(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The hyperbolic tangent on `n` rows of `c` numbers: PyTorch's `nn.Tanh`. Raises as `ReLU` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    return saving_output("Tanh", tanh, tanh_backward, n, c)
