"""SGD beside `torch.optim.SGD`."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bendtorch import SGD
from reference.compare import Row
from reference.optim.trajectory import rows_of


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on SGD."""
    pairs = [(f"lr {lr}", SGD(lr), lambda w, lr=lr: torch.optim.SGD(w, lr=lr)) for lr in (0.2, 1e-3)]
    return rows_of(pairs, quick)
