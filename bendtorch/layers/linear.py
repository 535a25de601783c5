"""Linear: y = x·Wᵀ + b.

    x: n × i      W: o × i (PyTorch's layout)      b: 1 × o      y: n × o

Backward, from dy (n × o):  dx = dy·W   dW += dyᵀ·x   db += column sums of dy.  It saves its input.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from bendtorch.kernels.linear import linear_forward, linear_gradients
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.products import matmul_nn
from bendtorch.layer import Bwd, Fwd, Info, Layer, Leaf, Params, describe, make_layer, uniform_init
from bendtorch.layer.given import GRADIENT, guard_record
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import Dim, I, N, O
from bendtorch.shapes.guard import guard_mat, guard_target
from bendtorch.shapes.spec import check_sizes, mat_spec


@dataclass(frozen=True, slots=True)
class Lin(Generic[I, O]):
    """The parameters of a linear layer: `weight` is o × i, `bias` is 1 × o."""

    weight: Mat[O, I]
    bias: Mat[1, O]


def Linear(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Lin[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]:
    """A linear layer from `i` to `o` features on batches of `n` rows: PyTorch's `nn.Linear(i, o)`.

    The products have the same bits at any number of threads. Raises `ShapeError` when a size is not possible; its
    passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L29, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L69.
    """
    name, info = f"Linear({n}, {i}, {o})", linear_info("Linear", n, i, o)  # first: it refuses impossible sizes
    forward, add_gradients = linear_forward_of(name, n, i, o), linear_gradients_of(name, n, i, o)

    def bwd(p: Lin[I, O], s: Mat[N, I], dy: Mat[N, O], g: Lin[I, O]) -> Bwd[Lin[I, O], Mat[N, I]]:
        dy = guard_mat(dy, (n, o), name, "dy")
        add_gradients(s, dy, g)
        weight = guard_mat(guard_record(p, Lin, name).weight, (o, i), name, "weight")
        dx = empty_mat(n, i)
        matmul_nn(dy, weight, dx)
        return Bwd(dx, g)

    return make_layer(linear_params(i, o), forward, bwd, info)


def linear_params(i: Dim[I], o: Dim[O]) -> Params[Lin[I, O]]:
    """A linear layer's parameters, drawn from [-1/√i, 1/√i) as PyTorch's `nn.Linear` does."""
    init = uniform_init(1 / math.sqrt(i))
    return describe(
        (Leaf("weight", (o, i), init), Leaf("bias", (1, o), init, vector=True)),
        Lin,
        lambda p: (p.weight, p.bias),
    )


def linear_info(kind: str, n: int, i: int, o: int, input_gradient: bool = True) -> Info:
    """What a linear layer says of itself; refuses sizes that it cannot have."""
    check_sizes(f"{kind}({n}, {i}, {o})", n=n, i=i, o=o)
    sizes = {"n": n, "i": i, "o": o}
    return Info(kind, sizes, mat_spec(n, i), mat_spec(n, o), mat_spec(n, i), input_gradient=input_gradient)


def linear_forward_of(
    name: str, n: Dim[N], i: Dim[I], o: Dim[O]
) -> Callable[[Lin[I, O], Mat[N, I]], Fwd[Mat[N, O], Mat[N, I]]]:
    """The forward pass y = x·Wᵀ + b, which saves x."""

    def fwd(p: Lin[I, O], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        x, p = guard_mat(x, (n, i), name, "x"), guard_record(p, Lin, name)
        y = empty_mat(n, o)
        weight, bias = guard_mat(p.weight, (o, i), name, "weight"), guard_mat(p.bias, (1, o), name, "bias")
        linear_forward(x, weight, bias, y)
        return Fwd(y, x)

    return fwd


def linear_gradients_of(
    name: str, n: Dim[N], i: Dim[I], o: Dim[O]
) -> Callable[[Mat[N, I], Mat[N, O], Lin[I, O]], None]:
    """The part of the backward pass that adds dW and db into the gradient, from the saved input and a checked dy."""

    def add(s: Mat[N, I], dy: Mat[N, O], g: Lin[I, O]) -> None:
        s, g = guard_mat(s, (n, i), name, "the saved input"), guard_record(g, Lin, name, GRADIENT)
        weight, bias = (
            guard_target(g.weight, (o, i), name, "the gradient's weight"),
            guard_target(g.bias, (1, o), name, "the gradient's bias"),
        )
        linear_gradients(dy, s, weight, bias)

    return add
