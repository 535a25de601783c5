"""LinearFirst: a linear layer whose input is data, so that nobody asks for the gradient of its input.

It computes y = x·Wᵀ + b as `Linear` does. Its backward pass adds dW and db and skips dx = dy·W, a third of the work;
dx comes back as zeros. Use it where nothing before it has parameters: a chain refuses it elsewhere.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from bendtorch.layer import Bwd, Layer, make_layer
from bendtorch.layers.linear import Lin, linear_forward_of, linear_gradients_of, linear_info, linear_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import Dim, I, N, O
from bendtorch.shapes.guard import guard_mat


def LinearFirst(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Lin[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]:
    """A linear layer from `i` to `o` features, at the start of a model; its dx is zeros (read-only, of no memory).

    As an input without `requires_grad` in PyTorch. Raises as `Linear` does.

    Laws: L24 to L28, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L69.
    """
    name = f"LinearFirst({n}, {i}, {o})"
    info = linear_info("LinearFirst", n, i, o, input_gradient=False)
    add_gradients = linear_gradients_of(name, n, i, o)
    no_gradient = cast("Mat[N, I]", np.broadcast_to(np.float32(0), (n, i)))

    def bwd(p: Lin[I, O], s: Mat[N, I], dy: Mat[N, O], g: Lin[I, O]) -> Bwd[Lin[I, O], Mat[N, I]]:
        add_gradients(s, guard_mat(dy, (n, o), name, "dy"), g)
        return Bwd(no_gradient, g)

    return make_layer(linear_params(i, o), linear_forward_of(name, n, i, o), bwd, info)
