"""Every layer, combinator, loss and optimizer that ships, one line each: a function of sizes that builds it.

    "RMSNorm": Entry(lambda n, c: of.RMSNorm(n, c)),

`test_laws` checks every law that applies on all of them, and that none is missing; `docstrings` writes the laws that
apply into their docstrings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np

import bendtorch
from bendtorch.kernels.vecmath import exp, log, sigmoid

of: Final[Any] = bendtorch  # with sizes that are only known at run time


@dataclass(frozen=True)
class Entry:
    """A function of sizes (the batch first) that builds the layer, and for each law it is exempt from the reason.

    An optimizer or a clipping stands for itself.
    """

    maker: Any
    exempt: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


ONE: Final = np.float32(1)


def swish(x: Any) -> Any:
    """x · sigmoid(x), as a user would write it."""
    return x * sigmoid(x)


def swish_gradient(dy: Any, x: Any) -> Any:
    """Its gradient from its input."""
    s = sigmoid(x)
    return dy * s * (ONE + x * (ONE - s))


def softplus(x: Any) -> Any:
    """log(1 + e^x)."""
    return log(ONE + exp(x))


def softplus_gradient(dy: Any, y: Any) -> Any:
    """Its gradient from its output: 1 - e^-y."""
    return dy * (ONE - exp(-y))


REGROUPS: Final = {"L31": "it regroups rows across the batch"}

LAYERS: Final[Mapping[str, Entry]] = {
    "ActIn": Entry(lambda n, c: of.ActIn(swish, swish_gradient, n, c)),
    "ActOut": Entry(lambda n, c: of.ActOut(softplus, softplus_gradient, n, c)),
    "Attention": Entry(lambda b, t, kv, g, h: of.Attention(b, t, kv, g, 2 * h)),
    "AvgPool2d": Entry(lambda n, c, h, w: of.AvgPool2d(n, c, h + 1, w + 1, 2)),
    "Conv2d": Entry(lambda n, c, h, w, o: of.Conv2d(n, c, h + 1, w + 1, o, 2, 2)),
    "Dropout": Entry(lambda n, c: of.Dropout(n, c, 0.25, 7)),
    "Embedding": Entry(of.Embedding),
    "GELU": Entry(of.GELU),
    "GELUErf": Entry(of.GELUErf),
    "LayerNorm": Entry(of.LayerNorm),
    "Linear": Entry(of.Linear),
    "LinearFirst": Entry(of.LinearFirst),
    "LinearNB": Entry(of.LinearNB),
    "LogSoftmax": Entry(of.LogSoftmax),
    "MaxPool2d": Entry(lambda n, c, h, w: of.MaxPool2d(n, c, h + 1, w + 1, 2)),
    "PaddedAttention": Entry(lambda b, t, kv, g, h: of.PaddedAttention(b, t, kv, g, 2 * h)),
    "RMSNorm": Entry(of.RMSNorm),
    "ReLU": Entry(of.ReLU),
    "RoPE": Entry(lambda b, t, h, half: of.RoPE(b * t, t, h, half)),
    "SiLU": Entry(of.SiLU),
    "Sigmoid": Entry(of.Sigmoid),
    "Softmax": Entry(of.Softmax),
    "Tanh": Entry(of.Tanh),
}

COMBINATORS: Final[Mapping[str, Entry]] = {
    "Add2": Entry(of.Add2),
    "Assoc": Entry(of.Assoc),
    "Both": Entry(lambda n, a, b: of.Both(of.Linear(n, a, b), of.LinearNB(n, b, a))),
    "Concat": Entry(of.Concat),
    "Copy": Entry(of.Copy),
    "Drop": Entry(of.Drop),
    "Fork": Entry(lambda n, a, b: of.Fork(of.Linear(n, a, b), of.ReLU(n, a))),
    "Id": Entry(of.Id),
    "Mul2": Entry(of.Mul2),
    "Permute": Entry(of.Permute, REGROUPS),
    "Repeat": Entry(lambda n, c: of.Repeat(3, of.Linear(n, c, c) >> of.ReLU(n, c))),
    "Reshape": Entry(lambda n, i, k: of.Reshape(n, i * k, n * k, i)),
    "Residual": Entry(lambda n, c: of.Residual(of.Linear(n, c, c))),
    "Seq": Entry(lambda n, i, o: of.Seq(of.Linear(n, i, o), of.ReLU(n, o), of.LinearNB(n, o, i))),
    "Split": Entry(of.Split),
    "Swap": Entry(of.Swap),
    "Tie": Entry(lambda n, c: of.Tie(of.LinearNB(n, c, c), of.Linear(n, c, c), of.LinearNB(n, c, c))),
}

VARIANTS: Final[Mapping[str, Entry]] = {
    "Attention, not causal": Entry(lambda b, t, kv, g, h: of.Attention(b, t, kv, g, h, causal=False)),
    "Attention, several tiles": Entry(lambda b, t, g: of.Attention(b, 30 + t, 1, g, 3)),
    "AvgPool2d, large windows": Entry(lambda n, c, h, w: of.AvgPool2d(n, c, h + 3, 3 * w + 1, 4, stride=3)),
    "AvgPool2d, overlapping": Entry(lambda n, c, h, w: of.AvgPool2d(n, c, h + 3, w + 2, 3, stride=1, padding=1)),
    "Conv2d, padded": Entry(lambda n, c, h, w, o: of.Conv2d(n, c, h, w, o, 3, 3, padding=1)),
    "Conv2d, single cells": Entry(lambda n, c, h, w, o: of.Conv2d(n, c, h, w, o, 1, 1)),
    "Conv2d, single cells, strided": Entry(lambda n, c, h, w, o: of.Conv2d(n, c, h, w, o, 1, 1, stride=2)),
    "Conv2d, strided": Entry(lambda n, c, h, w, o: of.Conv2d(n, c, h + 3, w + 2, o, 3, 2, stride=2, padding=1)),
    "Embedding, padded": Entry(
        lambda n, v, d: of.Embedding(n, v, d, padding_id=v // 2),
        dict.fromkeys(("L26", "L27"), "no gradient goes to the padding's row, though y depends on it"),
    ),
    "LayerNorm, wide": Entry(lambda n, c: of.LayerNorm(n, 75 * c)),
    "LinearNB, wide": Entry(lambda n, i, o: of.LinearNB(n, 40 * i, 20 * o)),
    "LogSoftmax, wide": Entry(lambda n, c: of.LogSoftmax(n, 75 * c)),
    "MaxPool2d, large windows": Entry(lambda n, c, h, w: of.MaxPool2d(n, c, h + 3, 3 * w + 1, 4, stride=3)),
    "MaxPool2d, overlapping": Entry(lambda n, c, h, w: of.MaxPool2d(n, c, h + 3, w + 2, 3, stride=1, padding=1)),
    "RMSNorm, wide": Entry(lambda n, c: of.RMSNorm(n, 75 * c)),
    "RoPE, interleaved": Entry(lambda b, t, h, half: of.RoPE(b * t, t, h, half, interleaved=True)),
    "RoPE, later": Entry(lambda b, t, h, half: of.RoPE(b * t, t, h, half, offset=3)),
    "Softmax, wide": Entry(lambda n, c: of.Softmax(n, 75 * c)),
    "a block": Entry(
        lambda n, c: of.Residual(of.RMSNorm(n, c) >> of.Dropout(n, c, 0.25, 3) >> of.Linear(n, c, c) >> of.GELU(n, c))
    ),
}
"""Options and sizes beyond the usual ones."""

LOSSES: Final[Mapping[str, Entry]] = {
    "CrossEntropy": Entry(of.CrossEntropy),
    "MSE": Entry(of.MSE),
    "NLL": Entry(of.NLL),
    "CrossEntropy, smoothed": Entry(lambda n, c: of.CrossEntropy(n, c, label_smoothing=0.25)),
}

WEIGHTED: Final[Mapping[str, Entry]] = {
    "CrossEntropy, weighted": Entry(
        lambda n, c: of.CrossEntropy(n, c, weight=np.arange(1, c + 1, dtype=np.float32)),
        {"L31": "its mean is weighted by the classes"},
    ),
    "CrossEntropy, ignoring": Entry(
        lambda n, c: of.CrossEntropy(n, c, ignore_index=0), {"L31": "its mean is over the rows that count"}
    ),
    "NLL, ignoring": Entry(lambda n, c: of.NLL(n, c, ignore_index=0), {"L31": "its mean is over the rows that count"}),
    "NLL, weighted": Entry(
        lambda n, c: of.NLL(n, c, weight=np.arange(1, c + 1, dtype=np.float32)),
        {"L31": "its mean is weighted by the classes"},
    ),
}

OPTIMIZERS: Final[Mapping[str, Entry]] = {
    "SGD": Entry(of.SGD(0.1)),
    "SGD, decaying": Entry(of.SGD(0.1, weight_decay=0.01)),
    "Momentum": Entry(of.Momentum(0.1)),
    "Momentum, Nesterov": Entry(of.Momentum(0.1, nesterov=True, weight_decay=0.01)),
    "Adam": Entry(of.Adam(0.01)),
    "AdamW": Entry(of.AdamW(0.01)),
    "PackedAdamW": Entry(of.PackedAdamW(0.01)),
    "PackedAdamW, first": Entry(of.PackedAdamW(0.01, second=False)),
    "ClipNorm": Entry(of.ClipNorm(2.0)),
    "ClipValue": Entry(of.ClipValue(0.5)),
}
