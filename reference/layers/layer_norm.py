"""LayerNorm beside `F.layer_norm`.

y = x̂·w + b and the gradients are sums, measured against the size of their terms. Around a large mean, PyTorch's float32
loses the digits that the mean has before the deviation; ours keeps them. With an infinity in dy, whether dx is infinite
or NaN follows from how its formula is arranged, so it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import torch
from torch.nn.functional import layer_norm

from bendtorch import LayerNorm
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, cancelling, mixed, near_ones, normal, planted, positive, scaled
from reference.layers.passes import Fills, layer_case
from reference.layers.rms_norm import EPS, SIZES, SMALL, row_sums


def around(mean: float) -> Fill:
    """Numbers of deviation 1 around a mean."""
    return lambda rng, shape: normal(rng, shape) + np.float32(mean)


def outlier_first(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """The first number of each row is far from the others."""
    x = normal(rng, shape)
    x[:, 0] += np.float32(1e6)
    return x


KINDS: Final = {
    "positive": Fills(positive, positive, positive),
    "around 100": Fills(x=around(100)),
    "around 10 000": Fills(x=around(1e4)),
    "around a million": Fills(x=around(1e6)),
    "an outlier first": Fills(x=outlier_first),
    "large": Fills(x=scaled(1e15)),
    "too large to square": Fills(x=scaled(1e20)),
    "small": Fills(x=scaled(1e-3)),
    "tiny": Fills(x=scaled(1e-30)),
    "mixed sizes": Fills(mixed, normal, mixed),
    "cancelling": Fills(cancelling, near_ones, cancelling),
    "zeros": Fills(x=scaled(0)),
    "NaN in x": Fills(x=planted(normal, np.nan)),
    "infinity in x": Fills(x=planted(normal, np.inf, -np.inf)),
    "NaN in the parameters": Fills(parameters=planted(normal, np.nan)),
    "NaN in dy": Fills(dy=planted(normal, np.nan)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on LayerNorm."""
    sizes = [
        size for size in SIZES[: -1 if quick else None] if size[1] > 1
    ]  # of one number, PyTorch's float64 is not 0
    cases = [_case(f"normal, {n}×{c}", (n, c), Fills()) for n, c in sizes]
    return judge_all(cases + [_case(kind, SMALL, fills) for kind, fills in KINDS.items()])


def _case(name: str, size: tuple[int, int], fills: Fills) -> Case:
    n, c = size

    def function(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return layer_norm(x, (c,), weight, bias, EPS)

    most = 4 if n * c > 1 << 17 else 200
    return layer_case(name, LayerNorm(n, c, eps=EPS), function, (size, size), fills, 64, most, scale)


def scale(inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The terms of y = x̂·w + b, of dx = k·(h - mean(h) - x̂·mean(h·x̂)) with h = dy·w, of dw = Σ dy·x̂ and db = Σ dy."""
    x, w, h = inputs["x"], inputs["weight"], dy * inputs["weight"]
    apart, c = x - x.mean(axis=1, keepdims=True), x.shape[1]
    k = 1 / np.sqrt(np.square(apart).mean(axis=1, keepdims=True) + EPS)
    hat = apart * k
    plain = np.square(h).sum(axis=1, keepdims=True) / c**2
    inner = np.square(h * hat).sum(axis=1, keepdims=True) / c**2
    return {
        "y": np.sqrt(np.square(hat * w) + np.square(inputs["bias"])),
        "dx": k * np.sqrt(np.square(h) + plain + np.square(hat) * inner),
        "dweight": row_sums(dy * hat),
        "dbias": row_sums(dy),
    }
