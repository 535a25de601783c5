"""GELU in its tanh form: y = x/2·(1 + tanh u) with u = sqrt(2/π)·(x + 0.044715·x³), element by element.

    x, y: n × c

It is computed as x·sigmoid(2u), which is the same function and keeps its digits for a negative x, where 1 + tanh u
cancels. Backward, with s = sigmoid(2u): dx = dy·s·(1 + x·(1 - s)·(2u)'). It saves its input. Minus infinity gives NaN,
as in PyTorch. The exact form is `GELUErf`.
"""

from __future__ import annotations

from bendtorch.kernels.activation import gelu_backward, gelu_forward
from bendtorch.layer import Layer, Unit
from bendtorch.layers.activation import saving_input
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def GELU(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """GELU, tanh form, on `n` rows of `c` numbers: PyTorch's `nn.GELU(approximate="tanh")`. Raises as `ReLU` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    return saving_input("GELU", gelu_forward, gelu_backward, n, c)
