"""AdamW beside `torch.optim.AdamW`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import torch

from bendtorch import AdamW
from reference.compare import Row
from reference.optim.trajectory import Make, rows_of

SETTINGS: Final = (
    (1e-3, 0.9, 0.999, 1e-8, 0.01),
    (1e-2, 0.9, 0.95, 1e-5, 0.1),
    (3e-4, 0.5, 0.9999, 1e-12, 1e-4),
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on AdamW."""
    pairs = []
    for lr, beta1, beta2, eps, decay in SETTINGS:
        name = f"lr {lr} β {beta1} {beta2} λ {decay}"
        make: Make = partial(torch.optim.AdamW, lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay)
        pairs.append((name, AdamW(lr, beta1, beta2, eps, decay), make))
    return rows_of(pairs, quick)
