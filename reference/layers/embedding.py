"""Embedding beside `F.embedding`. Rows are copied, so y is exact; sums of the rows of one id are rounded once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import torch
from torch.nn.functional import embedding

from bendtorch import Embedding
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import cancelling, mixed, normal, planted, scaled
from reference.layers.passes import Fills, layer_case

SIZES: Final = ((0, 5, 3), (1, 1, 1), (7, 3, 129), (32, 1000, 64), (33, 2, 17), (20_000, 9, 10), (512, 5000, 576))
KINDS: Final = {
    "mixed sizes": Fills(parameters=mixed, dy=mixed),
    "cancelling": Fills(dy=cancelling),
    "large": Fills(parameters=scaled(1e38), dy=scaled(1e37)),
    "below the normal range": Fills(parameters=scaled(1e-40), dy=scaled(1e-40)),
    "edge values": Fills(parameters=planted(normal, np.nan, np.inf, -np.inf), dy=planted(normal, np.nan, np.inf)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Embedding."""
    cases = [_case("normal", Fills(), size) for size in (SIZES[:-1] if quick else SIZES)]
    cases += [_case(kind, fills, size) for kind, fills in KINDS.items() for size in ((100, 7, 33), (1000, 3, 5))]
    return judge_all([*cases, _case("padding", Fills(), (100, 7, 33), padding=3)])


def _case(kind: str, fills: Fills, size: tuple[int, int, int], padding: int | None = None) -> Case:
    """One case. A sum of k terms, taken one after another, may be off by a few times √k roundings."""
    n, v, d = size
    layer = Embedding(n, v, d, padding_id=padding)

    def function(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return embedding(x, weight, padding_idx=padding)

    most = 30 if n * d > 1 << 16 else 200
    fills = Fills(partial(_ids, v), fills.parameters, fills.dy)
    return layer_case(f"{kind}, {n} of {v}×{d}", layer, function, ((n,), (n, d)), fills, 2 + math.sqrt(n), most)


def _ids(bound: int, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Any ids below the bound."""
    ids: Array = rng.integers(0, bound, shape)
    return ids
