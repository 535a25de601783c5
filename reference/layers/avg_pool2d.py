"""AvgPool2d beside `F.avg_pool2d`. Ours sums in float64, so its y is rounded once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from bendtorch import AvgPool2d
from reference.compare import Case, Row, judge_all
from reference.inputs import cancelling, normal, overflowing, planted, positive, scaled
from reference.layers.max_pool2d import SIZES
from reference.layers.passes import Fills, layer_case

KINDS: Final = {
    "positive": Fills(positive, positive, positive),
    "cancelling": Fills(x=cancelling, dy=cancelling),
    "large": Fills(x=scaled(5e36), dy=scaled(5e36)),
    "below the normal range": Fills(x=scaled(1e-40), dy=scaled(1e-40)),
    "overflowing": Fills(x=overflowing, dy=overflowing),
    "NaN and infinity in x": Fills(x=planted(normal, np.nan, np.inf)),
    "infinity and NaN in dy": Fills(dy=planted(normal, np.inf, np.nan)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on AvgPool2d."""
    cases = [_case("normal", Fills(), size) for size in (*SIZES, (2, 3, 60, 60, 60, 60, 0))]
    return judge_all(cases + [_case(kind, fills, size) for kind, fills in KINDS.items() for size in SIZES[2:8]])


def _case(kind: str, fills: Fills, size: tuple[int, ...]) -> Case:
    n, c, h, w, k, stride, padding = size

    def function(x: torch.Tensor) -> torch.Tensor:
        y = functional.avg_pool2d(x.reshape(n, c, h, w), k, stride, padding)
        return y.reshape(n, c * y.shape[2] * y.shape[3])

    layer: Any = AvgPool2d(n, c, h, w, k, stride=stride, padding=padding)
    name = f"{kind}, {n}×{c}×{h}×{w}, {k}×{k}, stride {stride}, padding {padding}"
    shapes = layer.info.takes.shape, layer.info.gives.shape
    return layer_case(name, layer, function, shapes, fills, 8 + 4 * math.sqrt(k * k), 50)
