"""Embedding's backward kernel: rows added to a table by number (forward, `indexing.gather_rows` copies them).

12 bytes a number, one addition each. The rows of dy are visited in the order of their ids, so that each row of the
table is one run of positions; runs are dealt out over the threads, and a run is summed by one of them, in the order of
its positions. So the bits do not depend on the threads.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Labels, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

CHUNK: Final = 1 << 14  # numbers a chunk has at least
DIGIT: Final = 11  # bits of an id that one pass of the sort looks at
ZERO: Final = np.float32(0)


@kernel
def order_of(ids: Labels, bound: int) -> Labels:
    """The positions of the ids, in the order of the ids, and where ids are equal in their own order.

    A radix sort, from the low digit to the high one: `bound`, above every id, says how many digits there are.
    """
    order: Labels = np.arange(ids.size)
    other: Labels = np.empty(ids.size, np.int64)
    shift, mask = 0, (1 << DIGIT) - 1
    while (bound - 1) >> shift > 0:
        starts = np.zeros((1 << DIGIT) + 1, np.int64)
        for i in range(ids.size):
            starts[((ids[i] >> shift) & mask) + 1] += 1
        for digit in range(1 << DIGIT):
            starts[digit + 1] += starts[digit]
        for i in range(order.size):
            own = (ids[order[i]] >> shift) & mask
            other[starts[own]] = order[i]
            starts[own] += 1
        order, other = other, order
        shift += DIGIT
    return order


@helper
def _add(row: Flat, g: Flat) -> None:
    for c in range(row.size):
        g[c] += ZERO + row[c]  # a sum begins at +0, so it is +0 where the row is -0


@helper
def _add_to_totals(row: Flat, totals: Totals) -> None:
    for c in range(row.size):
        totals[c] += np.float64(row[c])


@helper
def _add_totals(totals: Totals, g: Flat) -> None:
    for c in range(totals.size):
        g[c] += np.float32(totals[c])


@kernel
def _scatter_chunk(chunk: int, dy: Matrix, ids: Labels, order: Labels, padding: int, g: Matrix, rows: int) -> None:
    """Add the runs that begin in this chunk of the order."""
    totals = np.empty(dy.shape[1], np.float64)
    first, last = chunk_bounds(chunk, rows, order.size)
    while 0 < first < last and ids[order[first]] == ids[order[first - 1]]:
        first += 1  # the end of a run that another chunk adds
    while first < last:
        row = int(ids[order[first]])
        end = first + 1
        while end < order.size and ids[order[end]] == row:
            end += 1
        if row != padding and end == first + 1:
            _add(dy[order[first]], g[row])
        elif row != padding:
            totals[:] = 0.0
            for place in range(first, end):
                _add_to_totals(dy[order[place]], totals)
            _add_totals(totals, g[row])
        first = end


@kernel
def embedding_backward(dy: Matrix, ids: Labels, padding: int, g: Matrix) -> None:
    """Row i of dy added into row ids[i] of g, but for the padding's row (-1: none). Ids must be in range.

    The rows of an id that comes more than once are summed in float64, and the sum is rounded and added once.
    """
    rows = max(1, CHUNK // g.shape[1])
    parallel_for(_scatter_chunk, chunks_of(ids.size, rows), (dy, ids, order_of(ids, g.shape[0]), padding, g, rows))
