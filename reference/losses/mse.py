"""MSE beside `F.mse_loss`: the mean of squares, in blocks, and differences that may cancel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from torch.nn.functional import mse_loss

from bendtorch import MSE
from reference.compare import Case, Row, judge_all
from reference.inputs import Fill, cancelling, mixed, near_ones, normal, planted, positive, scaled
from reference.losses.cases import Inputs, loss_case

SIZES: Final = ((1, 1), (1, 3), (7, 129), (32, 10), (256, 1000), (1000, 3000))
SMALL: Final = (33, 101)
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 3.4e38)
KINDS: Final[tuple[tuple[str, Fill, Fill], ...]] = (
    ("positive", positive, positive),
    ("nearly equal", near_ones, near_ones),
    ("around ±1000", cancelling, cancelling),
    ("mixed sizes", mixed, mixed),
    ("overflowing squares", scaled(1e20), scaled(1e20)),
    ("underflowing squares", scaled(1e-30), scaled(1e-30)),
    ("below the normal range", scaled(1e-40), scaled(1e-40)),
    ("edge values", planted(normal, *EDGES), planted(normal, *EDGES)),
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on MSE."""
    cases = [_case(f"normal, {n}×{c}", n, c, normal, normal) for n, c in SIZES]
    return judge_all(cases + [_case(kind, *SMALL, y, target) for kind, y, target in KINDS])


def _case(name: str, n: int, c: int, y: Fill, target: Fill) -> Case:
    """One case of `n` rows of `c` numbers."""

    def make(rng: np.random.Generator) -> Inputs:
        return {"x": y(rng, (n, c)), "target": target(rng, (n, c))}

    return loss_case(name, MSE(n, c), mse_loss, make, 64)
