"""Ids and labels: range checks, before a kernel reads memory by them; how much the labels of a batch weigh.

8 bytes an id, on one thread: a batch has few. The weights add a FLOP each.
"""

from __future__ import annotations

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels
from bendtorch.kernels.compile import helper, kernel


@kernel
def first_outside(ids: Labels, bound: int, allowed: int = 0) -> int:
    """The first place whose id is neither in 0 to bound - 1 nor the allowed one; -1 when there is none.

    0 is in the range anyway, so by itself it allows nothing more.
    """
    for i in range(ids.size):
        if (ids[i] < 0 or ids[i] >= bound) and ids[i] != allowed:
            return i
    return -1


@kernel
def total_weight(labels: Labels, weights: Flat, ignored: int) -> float:
    """The sum of the weights of the labels that are not ignored: what a weighted mean is divided by."""
    total = 0.0
    for i in range(labels.size):
        if labels[i] != ignored:
            total += np.float64(weights[labels[i]])
    return total


@helper
def inverse(total: float) -> float:
    """1 / total; 0 where nothing counts, so that a mean of nothing is 0."""
    return 1.0 / total if total > 0.0 else 0.0
