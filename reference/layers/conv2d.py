"""Conv2d beside `F.conv2d`, which is oneDNN's on most processors.

The sizes cross every way in which our kernels cut the work: small images side by side, rows and channels in blocks,
1×1 windows. dW is where sums are longest: over all windows of all images.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from bendtorch import Conv2d
from reference.compare import Case, Row, judge_all
from reference.inputs import cancelling, mixed, near_ones, normal, overflowing, planted, positive, scaled
from reference.layers.passes import Fills, layer_case

# n, c, h, w, o, kh, kw, stride, padding
SIZES: Final = (
    (0, 2, 5, 4, 3, 2, 2, 1, 0),
    (1, 1, 1, 1, 1, 1, 1, 1, 0),
    (5, 3, 9, 7, 4, 9, 7, 1, 0),
    (7, 2, 11, 13, 5, 2, 3, 4, 1),
    (32, 3, 32, 32, 16, 3, 3, 1, 1),
    (40, 16, 7, 7, 24, 3, 3, 1, 1),
    (6, 24, 28, 28, 17, 1, 1, 1, 0),
    (4, 16, 29, 31, 8, 5, 5, 2, 2),
    (3, 64, 14, 14, 64, 3, 3, 1, 1),
)
OF_KINDS: Final = ((9, 3, 12, 11, 5, 3, 3, 1, 1), (2, 17, 20, 19, 9, 3, 2, 2, 0))

KINDS: Final = {
    "positive": Fills(x=positive, dy=scaled(1e-2)),
    "all positive": Fills(positive, positive, positive),
    "large": Fills(scaled(1e15), scaled(1e15), scaled(1e15)),
    "small": Fills(scaled(1e-15), scaled(1e-15), scaled(1e-15)),
    "below the normal range": Fills(scaled(1e-20), scaled(1e-20), scaled(1e-20)),
    "mixed sizes": Fills(mixed, mixed, mixed),
    "cancelling": Fills(cancelling, near_ones, cancelling),
    "overflowing": Fills(overflowing, overflowing, overflowing),
    "NaN in x": Fills(x=planted(normal, np.nan)),
    "infinity in x": Fills(x=planted(normal, np.inf, -np.inf)),
    "NaN in the parameters": Fills(parameters=planted(normal, np.nan)),
    "infinity and NaN in dy": Fills(dy=planted(normal, np.inf, np.nan)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Conv2d."""
    cases = [_case("normal", Fills(), size) for size in (SIZES[:-1] if quick else SIZES)]
    return judge_all(cases + [_case(kind, fills, size) for kind, fills in KINDS.items() for size in OF_KINDS])


def _case(kind: str, fills: Fills, size: tuple[int, ...]) -> Case:
    """One case. A sum of k terms, taken one after another, may be off by a few times √k roundings."""
    n, c, h, w, o, kh, kw, stride, padding = size

    def function(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        y = functional.conv2d(x.reshape(n, c, h, w), weight, bias, stride, padding)
        return y.reshape(n, y[0].numel() if n else o * y.shape[2] * y.shape[3])

    layer: Any = Conv2d(n, c, h, w, o, kh, kw, stride=stride, padding=padding)
    shapes = layer.info.takes.shape, layer.info.gives.shape
    longest = max(c * kh * kw, o * kh * kw, n * shapes[1][1] // o)
    name = f"{kind}, {n}×{c}×{h}×{w}→{o}, {kh}×{kw}, stride {stride}, padding {padding}"
    most = 100 if longest * shapes[1][1] < 1 << 22 else 20
    return layer_case(name, layer, function, shapes, fills, 8 + 4 * math.sqrt(longest), most)
