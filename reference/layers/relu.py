"""ReLU beside `F.relu`. It rounds nothing, so ours must be exact; what matters is where NaN and infinity go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from torch.nn.functional import relu

from bendtorch import Layer, ReLU
from reference.compare import Case, Row, judge_all
from reference.inputs import normal, planted, scaled
from reference.layers.passes import Fills, layer_case

SIZES: Final = ((0, 3), (1, 1), (7, 129), (32, 64), (3, 32_768), (1000, 1001))
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38)
EXACT: Final = 0.0

KINDS: Final = {
    "large": Fills(x=scaled(5e37), dy=scaled(5e37)),
    "below the normal range": Fills(x=scaled(1e-40), dy=scaled(1e-40)),
    "edge values in x": Fills(x=planted(normal, *EDGES)),
    "edge values in dy": Fills(dy=planted(normal, *EDGES)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on ReLU."""
    cases = [_case(ReLU, f"normal, {n}×{c}", (n, c), Fills()) for n, c in SIZES]
    return judge_all(cases + [_case(ReLU, kind, (33, 65), fills) for kind, fills in KINDS.items()])


def _case(
    layer: Callable[[int, int], Layer[Any, Any, Any, Any]], name: str, size: tuple[int, int], fills: Fills
) -> Case:
    return layer_case(name, layer(*size), relu, (size, size), fills, EXACT)
