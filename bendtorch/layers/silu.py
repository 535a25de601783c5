"""SiLU: y = x·sigmoid(x) = x / (1 + e^-x), element by element.

    x, y: n × c

Backward, with s = sigmoid(x): dx = dy·s·(1 + x·(1 - s)). It saves its input. Minus infinity gives NaN, as in PyTorch.
"""

from __future__ import annotations

from bendtorch.kernels.activation import silu_backward, silu_forward
from bendtorch.layer import Layer, Unit
from bendtorch.layers.activation import saving_input
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def SiLU(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The sigmoid linear unit ("swish") on `n` rows of `c` numbers: PyTorch's `nn.SiLU`. Raises as `ReLU` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    return saving_input("SiLU", silu_forward, silu_backward, n, c)
