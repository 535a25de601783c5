"""Linear beside `F.linear`.

Its three products and the column sums are where float32 sums are longest, so the sizes go from nothing to sums of
20 000 terms, and the inputs from evenly sized numbers to terms that cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from torch.nn.functional import linear

from bendtorch import Layer, Linear
from reference.compare import Case, Row, judge_all
from reference.inputs import cancelling, mixed, near_ones, normal, overflowing, planted, positive, scaled
from reference.layers.passes import Fills, layer_case
from reference.pytorch import Function

SIZES: Final = (
    (0, 5, 3),
    (1, 1, 1),
    (1, 4096, 3),
    (1, 576, 1536),
    (2, 576, 768),
    (5, 576, 768),
    (7, 3, 129),
    (32, 64, 10),
    (33, 65, 17),
    (257, 784, 129),
    (20_000, 9, 10),
    (512, 2048, 768),
)

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
    """The verdicts on Linear."""
    return judge_all(linear_cases(Linear, linear, quick))


def linear_cases(
    layer: Callable[[int, int, int], Layer[Any, Any, Any, Any]], function: Function, quick: bool
) -> list[Case]:
    """The cases of a linear layer: all sizes on normal numbers, then all kinds of numbers on two sizes."""
    cases = [_case(layer, function, "normal", Fills(), size) for size in (SIZES[:-1] if quick else SIZES)]
    for kind, fills in KINDS.items():
        cases += [_case(layer, function, kind, fills, size) for size in ((32, 64, 10), (130, 513, 67))]
    return cases


def _case(
    layer: Callable[[int, int, int], Layer[Any, Any, Any, Any]],
    function: Function,
    kind: str,
    fills: Fills,
    size: tuple[int, int, int],
) -> Case:
    """One case. A sum of k terms, taken one after another, may be off by a few times √k roundings."""
    n, i, o = size
    name, work = f"{kind}, {n}×{i}→{o}", n * i * o
    most = 200 if work < 1 << 17 else 30 if work < 1 << 25 else 4
    tolerance = 8 + 4 * math.sqrt(max(size))
    return layer_case(name, layer(n, i, o), function, ((n, i), (n, o)), fills, tolerance, most)
