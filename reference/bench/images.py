"""Convolutions and pools beside PyTorch's, whose convolutions are oneDNN's where the processor has them.

A convolution is 2·n·o·k·l FLOPs for l windows of k cells, and twice that backward. PyTorch gets the same images in the
same memory, as n × c × h × w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import torch
from torch.nn import functional

from bendtorch import AvgPool2d, Conv2d, Layer, MaxPool2d
from reference.bench.layers import backward, forward
from reference.bench.registry import Contest, Row
from reference.pytorch import Function

# n, c, h, w, o, k, stride, padding
CONVOLUTIONS: Final = (
    (32, 3, 32, 32, 16, 3, 1, 1),
    (64, 1, 28, 28, 8, 5, 1, 2),
    (32, 16, 28, 28, 32, 3, 1, 1),
    (32, 64, 28, 28, 64, 1, 1, 0),
    (32, 64, 14, 14, 64, 3, 1, 1),
    (8, 32, 56, 56, 64, 3, 2, 1),
)
# n, c, h, w, k, stride, padding
POOLS: Final = ((32, 16, 28, 28, 2, 2, 0), (8, 64, 56, 56, 3, 2, 1), (32, 64, 7, 7, 7, 7, 0))

AnyLayer = Layer[Any, Any, Any, Any]

conv: Any = Conv2d  # of sizes in a table
POOL_LAYERS: Final[tuple[tuple[str, Any, Function, bool], ...]] = (
    ("MaxPool2d", MaxPool2d, functional.max_pool2d, True),  # which keeps where the largest are
    ("AvgPool2d", AvgPool2d, functional.avg_pool2d, False),
)


def rows() -> Iterator[Row]:
    """Every layer at a few sizes, both passes."""
    for n, c, h, w, o, k, stride, padding in CONVOLUTIONS:
        image = (n, c, h, w)
        layer = partial(conv, *image, o, k, k, stride=stride, padding=padding)
        function = partial(_conv2d, image, stride, padding)
        windows = ((h + 2 * padding - k) // stride + 1) * ((w + 2 * padding - k) // stride + 1)
        work, x, y, parameters = 2 * n * o * c * k * k * windows, n * c * h * w, n * o * windows, o * c * k * k
        moved = 4 * (x + parameters + y), 4 * (2 * x + 3 * parameters + y)
        name = f"{n}×{c}×{h}×{w}→{o}, {k}×{k}, stride {stride}"
        yield from _both(f"Conv2d {name}", layer, function, (work, 2 * work), moved)
    for n, c, h, w, k, stride, padding in POOLS:
        image = (n, c, h, w)
        x, y = n * c * h * w, n * c * ((h + 2 * padding - k) // stride + 1) * ((w + 2 * padding - k) // stride + 1)
        name = f"{n}×{c}×{h}×{w}, {k}×{k}, stride {stride}"
        for kind, build, pool, keeps in POOL_LAYERS:
            function = partial(_pool, pool, image, k, stride, padding)
            layer = partial(build, *image, k, stride=stride, padding=padding)
            traffic = 4 * (x + y + (y if keeps else 0))
            yield from _both(f"{kind} {name}", layer, function, (0, 0), (traffic, traffic))


def _conv2d(
    image: tuple[int, ...], stride: int, padding: int, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    return functional.conv2d(x.reshape(image), weight, bias, stride, padding).flatten(1)


def _pool(pool: Function, image: tuple[int, ...], k: int, stride: int, padding: int, x: torch.Tensor) -> torch.Tensor:
    return pool(x.reshape(image), k, stride, padding).flatten(1)


def _both(
    name: str,
    layer: Callable[[], AnyLayer],
    function: Function,
    flops: tuple[int, int],
    traffic: tuple[int, int],
) -> Iterator[Row]:
    """The rows of the two passes, with the FLOPs and bytes of each."""
    kind, _, size = name.partition(" ")
    for place, (passed, prepare) in enumerate((("forward", forward), ("backward", backward))):
        contest = partial(_contest, prepare, layer, function)
        yield Row(f"{kind} {passed} {size}", contest, flops[place], traffic[place])


def _contest(
    prepare: Callable[[AnyLayer, Function], Contest], layer: Callable[[], AnyLayer], function: Function
) -> Contest:
    return prepare(layer(), function)
