"""Softmax, log-softmax and the norms, forward and backward, beside PyTorch's functions with gradients on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import torch
from torch.nn.functional import layer_norm, log_softmax, rms_norm, softmax

from bendtorch import Layer, LayerNorm, LogSoftmax, RMSNorm, Softmax
from reference.bench.layers import backward, both_passes, forward
from reference.bench.registry import Contest, Row
from reference.pytorch import Function

EPS: Final = 1e-5
SOFTMAX: Final = ((64, 32), (4096, 10), (4096, 128), (1024, 1024), (256, 49_152))
NORM: Final = ((64, 32), (1024, 576), (256, 4096))

PASSES: Final = ((forward, "forward"), (backward, "backward"), (both_passes, "both passes"))

AnyLayer = Layer[Any, Any, Any, Any]


def rows() -> Iterator[Row]:
    """Every layer with short, middling and long rows."""
    for n, c in SOFTMAX:
        yield from _both("Softmax", Softmax, partial(softmax, dim=1), n, c, (8, 12))
        yield from _both("LogSoftmax", LogSoftmax, partial(log_softmax, dim=1), n, c, (8, 12))
    for n, c in NORM:
        yield from _both("RMSNorm", partial(RMSNorm, eps=EPS), _rms_norm, n, c, (8, 12, 20))
        yield from _both("LayerNorm", partial(LayerNorm, eps=EPS), _layer_norm, n, c, (8, 12, 20))


def _rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return rms_norm(x, x.shape[1:], weight, EPS)


def _layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return layer_norm(x, x.shape[1:], weight, bias, EPS)


def _both(
    name: str, layer: Callable[[int, int], AnyLayer], function: Function, n: int, c: int, traffic: tuple[int, ...]
) -> Iterator[Row]:
    """The rows of the two passes, and of both together where their traffic is given; with the bytes of each number."""
    for (prepare, kind), each in zip(PASSES, traffic, strict=False):
        yield Row(f"{name} {kind} {n}×{c}", partial(_contest, prepare, layer, function, n, c), traffic=each * n * c)


def _contest(
    prepare: Callable[[AnyLayer, Function], Contest],
    layer: Callable[[int, int], AnyLayer],
    function: Function,
    n: int,
    c: int,
) -> Contest:
    return prepare(layer(n, c), function)
