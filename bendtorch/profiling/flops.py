"""FLOPs of layers, losses and optimizers, from their sizes: what the problem needs, whoever computes it.

A sum, a product, a quotient and a root count one each, a fused multiply-add two, comparisons and moves of bits none; an
exponential is the 21 of ours. The numbers are those that open the kernels' files. What a combinator does itself is
counted apart from its parts. A layer that is not in the table has unknown FLOPs, and so has what it is a part of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from bendtorch.layer.info import Info
from bendtorch.shapes.arguments import expect, expect_function
from bendtorch.shapes.spec import ArraySpec, Spec

Flops: TypeAlias = tuple[float, float]
"""Of a forward and of a backward pass."""

Formula: TypeAlias = Callable[[Info], Flops]


def numbers(spec: Spec | None) -> int:
    """How many float32 numbers the arrays of a spec have; ids and places are none."""
    if spec is None:
        return 0
    if isinstance(spec, ArraySpec):
        return math.prod(spec.shape) if spec.kind == "Mat" else 0
    return sum(map(numbers, spec))


def each(forward: float, backward: float) -> Formula:
    """So many for each number that the layer gives."""
    return lambda info: (forward * numbers(info.gives), backward * numbers(info.gives))


def _linear(info: Info) -> Flops:
    """A product; backward two, without the gradient of the input one; a bias adds a number to each of y."""
    n, i, o = (info.sizes[name] for name in ("n", "i", "o"))
    bias = 0 if info.name == "LinearNB" else n * o
    return 2 * n * i * o + bias, (4 if info.input_gradient else 2) * n * i * o + bias


def _attention(info: Info) -> Flops:
    """Products with keys and values, exponentials; for every query and key that meet, as if no sequence were short."""
    b, t, kv, g, hd = (info.sizes[name] for name in ("b", "t", "kv", "g", "hd"))
    pairs = b * kv * g * (t * (t + 1) // 2 if info.options.get("causal") else t * t)
    return (4 * hd + 24) * pairs, (10 * hd + 33) * pairs


def _conv2d(info: Info) -> Flops:
    """A product with the cells of each window, and a bias."""
    cells = math.prod(info.sizes[name] for name in ("c", "kh", "kw"))
    outputs = numbers(info.gives)
    return (2 * cells + 1) * outputs, (4 * cells + 1) * outputs


def _avg_pool2d(info: Info) -> Flops:
    """The cells of each window, and a division."""
    cells = info.sizes["k"] ** 2
    return cells * numbers(info.gives), (cells + 1) * numbers(info.gives)


def _max_pool2d(info: Info) -> Flops:
    return 0, numbers(info.gives)


def _copied(info: Info) -> Flops:
    """Two gradients of the input are added."""
    return 0, numbers(info.takes)


NOTHING: Final = each(0, 0)
LAYERS: Final[Mapping[str, Formula]] = {
    "Linear": _linear,
    "LinearFirst": _linear,
    "LinearNB": _linear,
    "Attention": _attention,
    "PaddedAttention": _attention,
    "Conv2d": _conv2d,
    "AvgPool2d": _avg_pool2d,
    "MaxPool2d": _max_pool2d,
    "Embedding": each(0, 1),
    "ReLU": each(0, 0),
    "Sigmoid": each(26, 3),
    "Tanh": each(37, 3),
    "SiLU": each(25, 29),
    "GELU": each(29, 36),
    "GELUErf": each(51, 52),
    "Dropout": each(1, 1),
    "Softmax": each(24, 4),
    "LogSoftmax": each(25, 24),
    "RMSNorm": each(4, 11),
    "LayerNorm": each(9, 18),
    "RoPE": each(3, 3),
    "Add2": each(1, 0),
    "Mul2": each(1, 2),
    "Copy": _copied,
    "Fork": _copied,
    "Residual": each(1, 1),
    **dict.fromkeys(
        ("Id", "Swap", "Drop", "Assoc", "Split", "Concat", "Reshape", "Permute", "Seq", "Both", "Repeat", "Tie"),
        NOTHING,
    ),
}
"""Of each layer by its name; of a combinator what it does beside its parts."""

ADDING: Final = ("Fork", "Residual")
"""Combinators that add matrices themselves: 12 bytes for each of their FLOPs."""

LOSSES: Final[Mapping[str, float]] = {"CrossEntropy": 24, "MSE": 5, "NLL": 0}
"""FLOPs of the value and the gradient, for each number of the output."""

OPTIMIZERS: Final[Mapping[str, tuple[float, float]]] = {
    "SGD": (2, 16),
    "Momentum": (4, 24),
    "Adam": (14, 32),
    "AdamW": (14, 32),
}
"""FLOPs and bytes for each parameter, the zeroing of its gradient included."""


def expect_formulas(caller: str, flops: object) -> None:
    """Refuse what gives no formulas for layers of one's own."""
    expect(caller, "flops", flops, Mapping, 'formulas by name: {"Scale": lambda info: (forward, backward)}')
    assert isinstance(flops, Mapping)
    for name, formula in flops.items():
        expect_function(caller, f"flops[{name!r}]", formula, "a function from an Info to (forward, backward)")


def layer_flops(info: Info, more: Mapping[str, Formula]) -> Flops | None:
    """A layer's own; None where they are not known. `more` are formulas for layers of one's own."""
    formula = more.get(info.name) or LAYERS.get(info.name)
    return formula(info) if formula is not None else None
