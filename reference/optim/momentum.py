"""Momentum beside `torch.optim.SGD(momentum=...)`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch

from bendtorch import Momentum
from reference.compare import Row
from reference.optim.trajectory import rows_of

SETTINGS = ((0.05, 0.9, 0.0, False), (1e-3, 0.99, 0.0, True), (0.1, 0.5, 0.01, False), (0.05, 0.9, 0.1, True))


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Momentum."""
    pairs = [
        (
            f"lr {lr}, momentum {mu}, λ {decay}{', Nesterov' * nesterov}",
            Momentum(lr, mu, decay, nesterov),
            partial(torch.optim.SGD, lr=lr, momentum=mu, weight_decay=decay, nesterov=nesterov),
        )
        for lr, mu, decay, nesterov in SETTINGS
    ]
    return rows_of(pairs, quick)
