"""Panels: parts of matrices that kernels pass on as an address and the distance of their rows.

A kernel that passes arrays on counts references to them, atomically, and these counters are shared by all threads; a
panel is two integers. Nobody but the caller keeps its memory alive: it must not outlive the arrays it was made from.
"""

from __future__ import annotations

import ctypes
from typing import Final, NamedTuple

import numba
import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.atomics import pointer
from bendtorch.kernels.compile import JIT, helper, kernel
from bendtorch.kernels.lanes import LANES, has_nan, lanes_at, put_lanes, same
from bendtorch.kernels.vecmath import bits

LINE: Final = 16  # numbers in a cache line
MAGNITUDE: Final = np.int32(0x7FFFFFFF)
INFINITE: Final = np.int32(0x7F800000)  # the bits of infinity; NaN's are above
ZERO: Final = np.float32(0)


class Panel(NamedTuple):
    """Where the first number is, and how many numbers further the next row begins."""

    address: int
    stride: int


@helper
def panel(x: Matrix) -> Panel:
    """A whole matrix."""
    return Panel(x.ctypes.data, x.shape[1])


@helper
def part(x: Panel, row: int, column: int) -> Panel:
    """What lies from a row and a column of a panel on."""
    return Panel(x.address + 4 * (row * x.stride + column), x.stride)


@helper
def _floats(address: int, count: int) -> Flat:
    numbers: Flat = numba.carray(pointer(address), (count,), np.float32)
    return numbers


def _plain_floats(address: int, count: int) -> Flat:
    if count == 0:
        return np.empty(0, np.float32)
    return np.ctypeslib.as_array((ctypes.c_float * int(count)).from_address(int(address)))


floats: Final = _floats if JIT else _plain_floats
"""The `count` numbers that begin at an address, as an array that owns nothing."""


@helper
def row_of(x: Panel, row: int, width: int) -> Flat:
    """The first `width` numbers of a row."""
    return floats(x.address + 4 * row * x.stride, width)


@kernel
def clear(x: Panel, rows: int, width: int) -> None:
    """x = 0."""
    for r in range(rows):
        row_of(x, r, width)[:] = ZERO


@helper
def _gather(x: Flat, stride: int, out: Flat) -> None:
    for j in range(out.size):
        out[j] = x[j * stride]


@kernel
def transpose(x: Panel, rows: int, width: int, out: Panel) -> None:
    """out = xᵀ; a cache line of each row of the result at a time."""
    for low in range(0, rows, LINE):
        count = min(LINE, rows - low)
        for c in range(width):
            column = floats(part(x, low, c).address, (count - 1) * x.stride + 1)
            _gather(column, x.stride, floats(part(out, c, low).address, count))


@kernel
def _copy_finite(x: Panel, rows: int, width: int, out: Panel) -> bool:
    """out = x, and zeros behind each row up to whole vectors; gives whether nothing is NaN or infinite."""
    vectors = width // LANES * LANES
    spoiled, nothing = same(ZERO), ZERO  # 0 · x is NaN where x is neither
    for r in range(rows):
        for c in range(0, vectors, LANES):
            numbers = lanes_at(part(x, r, c).address)
            spoiled = spoiled + numbers * ZERO
            put_lanes(numbers, part(out, r, c).address)
        if vectors < width:
            put_lanes(same(ZERO), part(out, r, vectors).address)
            nothing += _copy(row_of(part(x, r, vectors), 0, width - vectors), row_of(part(out, r, vectors), 0, LANES))
    return not has_nan(spoiled + nothing)


@helper
def _copy(x: Flat, out: Flat) -> np.float32:
    """The first numbers of out; gives 0, or NaN."""
    spoiled = ZERO
    for j in range(x.size):
        out[j] = x[j]
        spoiled += x[j] * ZERO
    return spoiled


@helper
def _finite_row(x: Flat) -> None:
    for j in range(x.size):
        x[j] = x[j] if (bits(x[j]) & MAGNITUDE) < INFINITE else ZERO


@kernel
def finite_part(x: Panel, rows: int, width: int, out: Panel) -> bool:
    """out = x with zeros in place of NaN and infinities, and behind each row up to whole vectors.

    Gives whether x has none.
    """
    if _copy_finite(x, rows, width, out):
        return True
    for r in range(rows):
        _finite_row(row_of(out, r, width))
    return False


@helper
def add_into(source: Flat, target: Flat) -> None:
    """target += source, for two rows."""
    for c in range(source.size):
        target[c] += source[c]


@helper
def add_other_part(weight: np.float32, x: Flat, out: Flat) -> None:
    """out += weight · x, only where x is NaN or infinite: what `finite_part` leaves out."""
    for j in range(x.size):
        if (bits(x[j]) & MAGNITUDE) >= INFINITE:
            out[j] += weight * x[j]
