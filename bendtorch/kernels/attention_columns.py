"""The softmax down the columns of attention's tiles, and its gradient.

A tile has a row for each key and a column for each query. `LANES` columns are taken at a time, from row to row; what is
found of a column, its largest number and sums, is a number of a vector: nothing is summed across one.

Columns beyond the last query hold copies of it, which nobody reads. A query does not see the keys from its own number
of keys on: what stands there is hidden first, -inf among scores and 0 among gradients, and a weight is 0 there.

FLOPs a number: 24 for the exponential and its sum; 9 for the gradient. 8 bytes are read and written in each of two and
three passes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.attention_grid import Heads, Place, queries_of, seen_by
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.lanes import LANES, Lanes, instead, inverse, lanes_at, put_lanes, same
from bendtorch.kernels.panels import Panel
from bendtorch.kernels.vecmath import at_least, exp_nonpositive, fma

RUN: Final = 16  # numbers of a column summed in a row; then their sums
ZERO: Final = np.float32(0)
ONE: Final = np.float32(1)
LOWEST: Final = np.float32(-np.inf)
LEAST: Final = np.float32(np.finfo(np.float32).min)


@helper
def _cell(tile: Panel, row: int, column: int) -> int:
    """The address of a number of a tile."""
    return tile.address + 4 * (row * tile.stride + column)


@helper
def _bounds(place: Place, column: int, heads: Heads) -> tuple[int, int]:
    """How many keys the first of `LANES` queries sees, and how many the last."""
    last = min(column + LANES, queries_of(place)) - 1
    return seen_by(place, column, heads), seen_by(place, last, heads)


@helper
def _hide(tile: Panel, column: int, first: int, last: int, value: np.float32) -> None:
    """Put a value where a key is not seen: key `first` by none of the first query, the next by none of two, ..."""
    for j in range(first, last):
        put_lanes(instead(j + 1 - first, value, lanes_at(_cell(tile, j, column))), _cell(tile, j, column))


@helper
def _largest(tile: Panel, column: int, n: int) -> Lanes:
    """The largest number of each column; of a column of -inf, the lowest there is. NaN is left out."""
    top = same(LEAST)
    for j in range(n):
        top = at_least(top, lanes_at(_cell(tile, j, column)))
    return top


@helper
def _exponentials(
    x: Panel, d: Panel, with_d: bool, column: int, low: int, high: int, top: Lanes, scale: np.float32
) -> tuple[Lanes, Lanes]:
    """x = exp(scale · (x - top)) in some rows; gives the sums of these and, `with_d`, of their products with d."""
    total, products = same(ZERO), same(ZERO)
    for j in range(low, high):
        e = exp_nonpositive((lanes_at(_cell(x, j, column)) - top) * scale)
        put_lanes(e, _cell(x, j, column))
        total = total + e
        if with_d:
            products = fma(e, lanes_at(_cell(d, j, column)), products)
    return total, products


@helper
def _last_exponentials(
    x: Panel, d: Panel, with_d: bool, column: int, first: int, last: int, top: Lanes, scale: np.float32
) -> tuple[Lanes, Lanes]:
    """The same in the rows that some queries do not see. Results below the normal range are slow: 0 is put there."""
    total, products = same(ZERO), same(ZERO)
    for j in range(first, last):
        hidden = j + 1 - first
        argument = instead(hidden, ZERO, (lanes_at(_cell(x, j, column)) - top) * scale)
        e = instead(hidden, ZERO, exp_nonpositive(argument))
        put_lanes(e, _cell(x, j, column))
        total = total + e
        if with_d:
            products = fma(e, lanes_at(_cell(d, j, column)), products)
    return total, products


@helper
def _all_exponentials(
    x: Panel, d: Panel, with_d: bool, place: Place, column: int, heads: Heads, scale: np.float32
) -> tuple[Lanes, Lanes]:
    """x = exp(scale · (x - its column's largest)), and 0 where a query does not see a key; gives the sums."""
    first, last = _bounds(place, column, heads)
    _hide(x, column, first, last, LOWEST)
    top = _largest(x, column, last)
    total, products = _last_exponentials(x, d, with_d, column, first, last, top, scale)
    for low in range(0, first, RUN):
        more, more_products = _exponentials(x, d, with_d, column, low, min(first, low + RUN), top, scale)
        total, products = total + more, products + more_products
    _clear(x, column, last, place.n)
    return at_least(total, ONE), products


@helper
def _clear(x: Panel, column: int, low: int, high: int) -> None:
    for j in range(low, high):
        put_lanes(same(ZERO), _cell(x, j, column))


@kernel
def exponential_columns(x: Panel, place: Place, column: int, heads: Heads, scale: np.float32) -> Lanes:
    """x = exp(scale · (x - its column's largest)) in `LANES` columns, and 0 where a query does not see a key.

    Gives the sums; 1 where nothing is seen, or only -inf.
    """
    return _all_exponentials(x, x, False, place, column, heads, scale)[0]


@helper
def _normalise(p: Panel, d: Panel, column: int, n: int, factor: Lanes, mean: Lanes) -> Lanes:
    """p = p · factor, d = d - mean; gives the sums of p · d."""
    total = same(ZERO)
    for low in range(0, n, RUN):
        products = same(ZERO)
        for j in range(low, min(n, low + RUN)):
            weight = lanes_at(_cell(p, j, column)) * factor
            slope = lanes_at(_cell(d, j, column)) - mean
            put_lanes(weight, _cell(p, j, column))
            put_lanes(slope, _cell(d, j, column))
            products = fma(weight, slope, products)
        total = total + products
    return total


@kernel
def gradient_columns(p: Panel, d: Panel, place: Place, column: int, heads: Heads, scale: np.float32) -> None:
    """p: from scores to probabilities; d: from the gradients of the probabilities to those of the products q·k."""
    first, n = _bounds(place, column, heads)
    _hide(d, column, first, n, ZERO)
    total, products = _all_exponentials(p, d, True, place, column, heads, scale)
    factor = inverse(total)
    mean = _normalise(p, d, column, n, factor, products * factor)
    for j in range(n):
        slope = lanes_at(_cell(p, j, column)) * (lanes_at(_cell(d, j, column)) - mean) * scale
        put_lanes(slope, _cell(d, j, column))
    for tile in (p, d):  # also of a query that has NaN
        _hide(tile, column, first, n, ZERO)
    _clear(d, column, n, place.n)
