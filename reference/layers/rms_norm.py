"""RMSNorm beside `F.rms_norm`.

y is a product, measured against its own size; the gradients are sums, measured against the size of their terms. The
rows at 1e20 and 1e30 are those whose squares a float32 does not hold: PyTorch's results are zeros or NaN there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import torch
from torch.nn.functional import rms_norm

from bendtorch import RMSNorm
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import cancelling, mixed, near_ones, normal, planted, positive, scaled
from reference.layers.passes import Fills, layer_case

SIZES: Final = ((0, 3), (1, 1), (1, 2), (7, 10), (32, 64), (33, 65), (257, 576), (5000, 9), (2, 200_000))
SMALL: Final = (33, 101)
EPS: Final = 1e-5

KINDS: Final = {
    "positive": Fills(positive, positive, positive),
    "large": Fills(x=scaled(1e15)),
    "too large to square": Fills(x=scaled(1e20)),
    "largest": Fills(x=scaled(1e37)),
    "small": Fills(x=scaled(1e-3)),
    "tiny": Fills(x=scaled(1e-30)),
    "below the normal range": Fills(x=scaled(1e-40), dy=scaled(1e-10)),
    "mixed sizes": Fills(mixed, normal, mixed),
    "cancelling": Fills(cancelling, near_ones, cancelling),
    "zeros": Fills(x=scaled(0)),
    "NaN in x": Fills(x=planted(normal, np.nan)),
    "infinity in x": Fills(x=planted(normal, np.inf, -np.inf)),
    "NaN in the parameters": Fills(parameters=planted(normal, np.nan)),
    "infinity and NaN in dy": Fills(dy=planted(normal, np.inf, np.nan)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on RMSNorm."""
    cases = [_case(f"normal, {n}×{c}", (n, c), Fills()) for n, c in SIZES[: -1 if quick else None]]
    return judge_all(cases + [_case(kind, SMALL, fills) for kind, fills in KINDS.items()])


def _case(name: str, size: tuple[int, int], fills: Fills) -> Case:
    n, c = size

    def function(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, (c,), weight, EPS)

    most = 4 if n * c > 1 << 17 else 200
    return layer_case(name, RMSNorm(n, c, eps=EPS), function, (size, size), fills, 64, most, scale)


def scale(inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The terms of dx = k·(h - x̂·mean(h·x̂)) and of dw = Σ dy·x̂, with h = dy·w."""
    x, h = inputs["x"], dy * inputs["weight"]
    k = 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + EPS)
    hat = x * k
    inner = np.square(h * hat).sum(axis=1, keepdims=True) / x.shape[1] ** 2
    return {"dx": k * np.sqrt(np.square(h) + np.square(hat) * inner), "dweight": row_sums(dy * hat)}


def row_sums(terms: Array) -> Array:
    """The size of sums over the rows, if the terms had random signs."""
    sizes: Array = np.sqrt(np.square(terms).sum(axis=0))
    return sizes
