"""The exponentials of rows, exp(x - top) with top the largest number of the row, and their sums.

Loops over rows narrower than a few vector registers would spend their time in their ends. So the exponentials of short
rows are taken of several rows at a time, a *panel*, as one array; only what needs a row apart (its largest number, its
sum) loops over the row. A long row is a panel of its own, and taken in blocks that stay in the nearest cache.

4 bytes read and 4 written a number, by the caches once more for the second step; a comparison, and 23 FLOPs, of which
the exponential has 21.

Sums are float64: what is small beside exp(0) = 1 counts in their logarithm.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.rows import BLOCK, LONG, exponentials, exponentials_ahead, row_max, wide_sum
from bendtorch.kernels.vecmath import exp_nonpositive

SHORT: Final = 512  # a row of no more numbers shares its panel
PANEL: Final = 2048  # numbers of a panel of short rows


@helper
def rows_of_panel(c: int) -> int:
    """How many rows of `c` numbers a panel has."""
    return max(1, PANEL // c) if c <= SHORT else 1


@helper
def _subtract(x: Flat, top: np.float32, e: Flat) -> None:
    for i in range(x.size):
        e[i] = x[i] - top


@helper
def _exp_in_place(e: Flat) -> None:
    for i in range(e.size):
        e[i] = exp_nonpositive(e[i])


@kernel
def _long_row(x: Flat, top: np.float32, e: Flat) -> float:
    total = 0.0
    for low in range(0, x.size, BLOCK):
        high = min(x.size, low + BLOCK)
        if x.size >= LONG:
            exponentials_ahead(x[low:high], top, e[low:high], x.ctypes.data + 4 * low, e.ctypes.data + 4 * low)
        else:
            exponentials(x[low:high], top, e[low:high])
        total += wide_sum(e[low:high])
    return total


@kernel
def exp_panel(x: Matrix, e: Matrix, tops: Flat, totals: Totals) -> None:
    """e = exp(x - top) for each row of a panel; gives its largest number and the sum of its exponentials.

    A row that is all -inf gives NaN, as does one with NaN or +inf.
    """
    n, c = x.shape
    if c > SHORT:
        for r in range(n):
            tops[r] = row_max(x[r])
            totals[r] = _long_row(x[r], tops[r], e[r])
        return
    for r in range(n):
        tops[r] = row_max(x[r])
        _subtract(x[r], tops[r], e[r])
    _exp_in_place(e.ravel())
    for r in range(n):
        totals[r] = wide_sum(e[r])
