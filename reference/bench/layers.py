"""Layers, forward and backward, beside PyTorch's functions with gradients on.

PyTorch's forward pass records its graph, as in training; ours always saves what its backward pass needs. PyTorch's
backward pass is `torch.autograd.grad`, which returns fresh gradients instead of adding to old ones: its best case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import dropout, gelu, linear, relu, silu

from bendtorch import GELU, Dropout, GELUErf, Key, Layer, Linear, ReLU, Sigmoid, SiLU, Tanh
from bendtorch.shapes.spec import ArraySpec
from reference.bench.registry import Contest, Row
from reference.inputs import normal
from reference.pytorch import Function

LINEAR: Final = ((32, 64, 64), (256, 784, 128), (1024, 576, 1536))
ELEMENTS: Final = ((32, 64), (1024, 1024))
ACTIVATIONS: Final[dict[str, tuple[Callable[..., Layer[Any, Any, Any, Any]], Function]]] = {
    "ReLU": (ReLU, relu),
    "Sigmoid": (Sigmoid, torch.sigmoid),
    "Tanh": (Tanh, torch.tanh),
    "SiLU": (SiLU, silu),
    "GELU": (GELU, partial(gelu, approximate="tanh")),
    "GELUErf": (GELUErf, gelu),
    "Dropout": (partial(Dropout, p=0.5, seed=1), partial(dropout, p=0.5)),
}


def rows() -> Iterator[Row]:
    """Every layer at a small and at larger sizes."""
    for n, i, o in LINEAR:
        work, size = 2 * n * i * o, f"{n}×{i}→{o}"
        moved = 4 * (n * i + o * i + o + n * o)
        again = 4 * (2 * n * i + 3 * o * i + 2 * o + n * o)  # dx written; weights read; dW read and written
        yield from _both("Linear", Linear, linear, (n, i, o), size, (work, 2 * work + n * o), (moved, again))
    for name, (layer, function) in ACTIVATIONS.items():
        for n, c in ELEMENTS:
            yield from _both(name, layer, function, (n, c), f"{n}×{c}", (0, 0), (8 * n * c, 12 * n * c))


def _both(
    name: str,
    layer: Callable[..., Layer[Any, Any, Any, Any]],
    function: Function,
    sizes: tuple[int, ...],
    size: str,
    flops: tuple[int, int],
    traffic: tuple[int, int],
) -> Iterator[Row]:
    """The rows of the two passes of `layer(*sizes)`, with the FLOPs and bytes of each."""
    for place, (kind, prepare) in enumerate((("forward", forward), ("backward", backward))):
        make = partial(_contest, prepare, layer, sizes, function)
        yield Row(f"{name} {kind} {size}", make, flops[place], traffic[place])


def _contest(
    prepare: Callable[[Layer[Any, Any, Any, Any], Function], Contest],
    layer: Callable[..., Layer[Any, Any, Any, Any]],
    sizes: tuple[int, ...],
    function: Function,
) -> Contest:
    return prepare(layer(*sizes), function)


class Sides:
    """A layer, its input and parameters on both sides, and a gradient of its output."""

    def __init__(self, layer: Layer[Any, Any, Any, Any]) -> None:
        rng = np.random.default_rng(0)
        takes, gives = layer.info.takes, layer.info.gives
        assert isinstance(takes, ArraySpec)
        assert isinstance(gives, ArraySpec)
        self.x, self.dy = normal(rng, takes.shape), normal(rng, gives.shape)
        self.p, self.g = layer.init(Key(0)), layer.zeros()
        flat, start = layer.dump(self.p), 0
        self.tensors = [torch.tensor(self.x, requires_grad=True)]
        for leaf in (leaf for leaf in layer.leaves if not leaf.counter):
            cells = flat[start : start + leaf.cells].reshape(leaf.stored_shape)
            self.tensors.append(torch.tensor(cells, requires_grad=True))
            start += leaf.cells


def forward(layer: Layer[Any, Any, Any, Any], function: Function) -> Contest:
    """The forward passes."""
    sides = Sides(layer)
    return Contest(lambda: layer.fwd(sides.p, sides.x), {"eager": lambda: function(*sides.tensors)})


def backward(layer: Layer[Any, Any, Any, Any], function: Function) -> Contest:
    """The backward passes: the gradients of the input and of all parameters."""
    sides = Sides(layer)
    saved, y, dy = layer.fwd(sides.p, sides.x).s, function(*sides.tensors), torch.from_numpy(sides.dy)
    return Contest(
        lambda: layer.bwd(sides.p, saved, sides.dy, sides.g),
        {"eager": lambda: torch.autograd.grad(y, sides.tensors, dy, retain_graph=True)},
    )


def both_passes(layer: Layer[Any, Any, Any, Any], function: Function) -> Contest:
    """A forward pass and a backward pass from what it saved."""
    sides = Sides(layer)
    dy = torch.from_numpy(sides.dy)
    return Contest(
        lambda: layer.bwd(sides.p, layer.fwd(sides.p, sides.x).s, sides.dy, sides.g),
        {"eager": lambda: torch.autograd.grad(function(*sides.tensors), sides.tensors, dy)},
    )
