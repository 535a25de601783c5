"""What sums at the end of a fused program add up: a block of numbers at a time, in float64.

Each tile of the program adds to totals of its own; at the end these are added in the order of the tiles, so the bits do
not depend on the threads.
"""

from __future__ import annotations

import numpy as np

from bendtorch.kernels.arrays import Flat, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.rows import wide_sum


@helper
def _add(x: Flat | Totals, totals: Totals) -> None:
    for i in range(x.size):
        totals[i] += np.float64(x[i])


@helper
def _store(totals: Totals, out: Flat) -> None:
    for i in range(out.size):
        out[i] = totals[i]


@kernel
def add_rows(x: Flat, low: int, width: int, totals: Totals) -> None:
    """Add each row's numbers to that row's total. The first of x is number `low` of all."""
    done = 0
    while done < x.size:
        row, column = (low + done) // width, (low + done) % width
        length = min(x.size - done, width - column)
        totals[row] += wide_sum(x[done : done + length])
        done += length


@kernel
def add_columns(x: Flat, low: int, width: int, totals: Totals) -> None:
    """Add each number to its column's total. The first of x is number `low` of all."""
    done = 0
    while done < x.size:
        column = (low + done) % width
        length = min(x.size - done, width - column)
        _add(x[done : done + length], totals[column : column + length])
        done += length


@kernel
def add_parts(totals: Totals, outer: int, parts: int, inner: int, out: Flat) -> None:
    """out = totals, seen as outer × parts × inner, added over the parts in their order."""
    for i in range(outer):
        start = i * parts * inner
        first = totals[start : start + inner]
        for place in range(start + inner, start + parts * inner, inner):
            _add(totals[place : place + inner], first)
        _store(first, out[i * inner : (i + 1) * inner])
