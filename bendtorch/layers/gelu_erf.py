"""GELUErf, the exact GELU: y = x·Φ(x) = x/2·(1 + erf(x/√2)), element by element.

    x, y: n × c

Φ(x) is the chance that a normally distributed number is below x. For a negative x it is computed as a tail, which keeps
its digits where 1 + erf cancels. Backward, with the normal density φ: dx = dy·(Φ(x) + x·φ(x)). It saves its input.
Minus infinity gives NaN, as in PyTorch. The form with tanh is `GELU`.
"""

from __future__ import annotations

from bendtorch.kernels.activation import gelu_erf_backward, gelu_erf_forward
from bendtorch.layer import Layer, Unit
from bendtorch.layers.activation import saving_input
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def GELUErf(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Mat[N, C]]:
    """The exact GELU on `n` rows of `c` numbers: PyTorch's `nn.GELU()`. Raises as `ReLU` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L69.
    """
    return saving_input("GELUErf", gelu_erf_forward, gelu_erf_backward, n, c)
