"""LinearNB: y = x·Wᵀ, a linear layer without bias.

    x: n × i      W: o × i (PyTorch's layout)      y: n × o

Backward, from dy (n × o):  dx = dy·W   dW += dyᵀ·x.  It saves its input. Its parameter is the matrix W itself.
"""

from __future__ import annotations

import math

from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.products import matmul_nn, matmul_nt, matmul_tn_add
from bendtorch.layer import Bwd, Fwd, Layer, make_layer, matrix, uniform_init
from bendtorch.layers.linear import linear_info
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import Dim, I, N, O
from bendtorch.shapes.guard import guard_mat, guard_target


def LinearNB(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[O, I], Mat[N, I], Mat[N, O], Mat[N, I]]:
    """A linear layer without bias from `i` to `o` features: PyTorch's `nn.Linear(i, o, bias=False)`.

    W starts evenly distributed on [-1/√i, 1/√i). Raises as `Linear` does.

    Laws: L24 to L29, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L64, L69.
    """
    name = f"LinearNB({n}, {i}, {o})"
    info = linear_info("LinearNB", n, i, o)

    def fwd(p: Mat[O, I], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        x = guard_mat(x, (n, i), name, "x")
        y = empty_mat(n, o)
        matmul_nt(x, guard_mat(p, (o, i), name, "weight"), y)
        return Fwd(y, x)

    def bwd(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        dy = guard_mat(dy, (n, o), name, "dy")
        matmul_tn_add(dy, guard_mat(s, (n, i), name, "the saved input"), guard_target(g, (o, i), name, "the gradient"))
        dx = empty_mat(n, i)
        matmul_nn(dy, guard_mat(p, (o, i), name, "weight"), dx)
        return Bwd(dx, g)

    return make_layer(matrix(o, i, "weight", uniform_init(1 / math.sqrt(i))), fwd, bwd, info)
