"""ReLU beside `F.relu`. It rounds nothing, so ours must be exact; what matters is where NaN and infinity go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from torch.nn.functional import relu

from bendtorch import ReLU
from reference.compare import Row, judge_all
from reference.inputs import normal, planted, scaled
from reference.layers.passes import Fills, layer_case

SIZES: Final = ((0, 3), (1, 1), (7, 129), (32, 64), (3, 32_768), (1000, 1001))
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38)
EXACT: Final = 0.0

KINDS: Final = {
    "large": Fills(x=scaled(1e38), dy=scaled(1e38)),
    "below the normal range": Fills(x=scaled(1e-40), dy=scaled(1e-40)),
    "edge values in x": Fills(x=planted(normal, *EDGES)),
    "edge values in dy": Fills(dy=planted(normal, *EDGES)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on ReLU."""
    cases = [layer_case(f"normal, {n}×{c}", ReLU(n, c), relu, ((n, c), (n, c)), Fills(), EXACT) for n, c in SIZES]
    size = (33, 65)
    cases += [layer_case(kind, ReLU(*size), relu, (size, size), fills, EXACT) for kind, fills in KINDS.items()]
    return judge_all(cases)
