"""Layers and losses beside `torch.compile`: forward and backward together, as it compiles them together.

Compiling takes most of a minute a row, so these are not part of --quick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy, layer_norm, rms_norm

from bendtorch import CrossEntropy, Key, Layer, LayerNorm, RMSNorm
from reference.bench.registry import Contest, Row
from reference.inputs import normal
from reference.pytorch import Function

EPS: Final = 1e-5
NORM: Final = (1024, 576)
LOSS: Final = (256, 49_152)


def rows() -> Iterator[Row]:
    """The norms at a language model's size, and cross-entropy over its vocabulary."""
    n, c = NORM
    norms: tuple[tuple[str, Callable[..., Layer[Any, Any, Any, Any]], Function], ...] = (
        ("RMSNorm", RMSNorm, lambda x, w: rms_norm(x, NORM[1:], w, EPS)),
        ("LayerNorm", LayerNorm, lambda x, w, b: layer_norm(x, NORM[1:], w, b, EPS)),
    )
    for name, layer, function in norms:
        yield Row(f"{name} both passes {n}×{c}", partial(_norm, layer, function), traffic=20 * n * c, long=True)
    n, c = LOSS
    yield Row(f"CrossEntropy {n}×{c}", _cross_entropy, traffic=8 * n * c, long=True)


def _norm(make: Callable[..., Layer[Any, Any, Any, Any]], function: Function) -> Contest:
    rng, layer = np.random.default_rng(0), make(*NORM, eps=EPS)
    x, dy, p, g = normal(rng, NORM), normal(rng, NORM), layer.init(Key(0)), layer.zeros()
    tensors = [torch.tensor(x, requires_grad=True)]
    tensors += [
        torch.tensor(weight.reshape(-1), requires_grad=True) for weight in np.split(layer.dump(p), len(layer.leaves))
    ]
    compiled: Any = torch.compile(function)
    gradient = torch.from_numpy(dy)

    def ours() -> None:
        layer.bwd(p, layer.fwd(p, x).s, dy, g)

    return Contest(ours, {"compiled": lambda: torch.autograd.grad(compiled(*tensors), tensors, gradient)})


def _cross_entropy() -> Contest:
    rng = np.random.default_rng(0)
    y, labels = normal(rng, LOSS), rng.integers(0, LOSS[1], LOSS[0])
    tensor, target, loss = torch.tensor(y, requires_grad=True), torch.from_numpy(labels), CrossEntropy(*LOSS)
    compiled: Any = torch.compile(cross_entropy)
    return Contest(
        lambda: loss.grad(y, labels), {"compiled": lambda: torch.autograd.grad(compiled(tensor, target), [tensor])}
    )
