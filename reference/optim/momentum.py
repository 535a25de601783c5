"""Momentum beside `torch.optim.SGD(momentum=...)`."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bendtorch import Momentum
from reference.compare import Row
from reference.optim.trajectory import rows_of

SETTINGS = ((0.05, 0.9), (1e-3, 0.99), (0.1, 0.5))


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Momentum."""
    pairs = [
        (f"lr {lr}, momentum {mu}", Momentum(lr, mu), lambda w, lr=lr, mu=mu: torch.optim.SGD(w, lr=lr, momentum=mu))
        for lr, mu in SETTINGS
    ]
    return rows_of(pairs, quick)
