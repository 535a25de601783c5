"""How far a float32 result is from the exact one, and how sure the ratio of two such errors is.

The unit is the *rounding*: 2^-24 of the scale of a number, so that a correctly rounded result is off by at most one.

The scale is taken element by element: the size of the exact result, or, where terms cancel, the size that the sum
would have if its signs were random (the root of the sum of the squares of its terms). One scale for a whole array would
hide the errors of its small rows behind its large ones, and the size of the result alone would let a few sums that
happen to cancel decide everything.

Two figures are taken of an array: the root of the mean square of its errors, which is the judge's measure because it
uses every element and is hardly moved by luck; and the largest error, which catches a single wrong element in a
million that the mean does not show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ROUNDING: Final = 2.0**-24
LEAST_NORMAL: Final = 2.0**-126  # below it float32 has no relative precision
LARGEST: Final = float(np.finfo(np.float32).max)
FLOOR: Final = 0.6  # a correctly rounded result's errors are between 0.29 and 0.58: nobody is blamed for less


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of one array, in roundings: their mean square, and the largest."""

    square: float
    worst: float

    @property
    def rms(self) -> float:
        """The root of the mean square."""
        return math.sqrt(self.square)

    def __str__(self) -> str:
        return f"{self.rms:.3g} ({self.worst:.3g})"


def measure(result: Array, exact: Array, scale: Array | None, where: Array) -> Errors:
    """The errors of `result` at the elements `where` is true; `scale` is the size of the terms of each sum."""
    wanted = np.asarray(exact, np.float64)[where]
    if wanted.size == 0:
        return Errors(0.0, 0.0)
    size = np.maximum(np.abs(wanted), LEAST_NORMAL)
    if scale is not None:
        size = np.fmax(size, np.asarray(scale, np.float64)[where])
    off = np.abs(np.asarray(result, np.float64)[where] - wanted) / (size * ROUNDING)
    return Errors(float(np.mean(off * off)), float(off.max()))


def comparable(*arrays: Array) -> Array:
    """Where all arrays hold numbers that float32 can hold."""
    good = np.ones(arrays[0].shape, np.bool_)
    for array in arrays:
        good &= np.abs(array) <= LARGEST  # false for NaN
    return good


def kinds(array: Array) -> Array:
    """What each element is in float32: 0 a number, 1 NaN, 2 infinity, 3 minus infinity."""
    with np.errstate(over="ignore"):
        single = np.asarray(array).astype(np.float32)
    return np.where(np.isnan(single), 1, np.where(np.isposinf(single), 2, np.where(np.isneginf(single), 3, 0)))


def same_pattern(ours: Array, theirs: Array, exact: Array) -> bool:
    """Whether our NaN and infinities stand where PyTorch's do.

    Where PyTorch's float32 fails on the way to a result that float32 can hold, ours may also be right.
    """
    mine = kinds(ours)
    return bool(np.all((mine == kinds(theirs)) | (mine == kinds(exact))))


def pooled(draws: list[Errors]) -> Errors:
    """The errors of several draws taken together; each draw counts alike."""
    return Errors(sum(e.square for e in draws) / len(draws), max(e.worst for e in draws))


def ratio(ours: list[Errors], theirs: list[Errors]) -> tuple[float, float]:
    """Our pooled error over theirs, and the standard error of that ratio.

    Both are at least `FLOOR`. The standard error is the jackknife's: how much the ratio moves when one draw is left
    out. It needs no assumption on the errors' distribution, and ours and theirs are correlated, being of one draw.
    """
    count = len(ours)
    totals = sum(e.square for e in ours), sum(e.square for e in theirs)

    def of(mine: float, other: float, draws: int) -> float:
        return math.sqrt(max(mine / draws, FLOOR**2) / max(other / draws, FLOOR**2))

    whole = of(*totals, count)
    if count < 2:
        return whole, math.inf
    left_out = [of(totals[0] - a.square, totals[1] - b.square, count - 1) for a, b in zip(ours, theirs, strict=True)]
    mean = sum(left_out) / count
    return whole, math.sqrt((count - 1) / count * sum((r - mean) ** 2 for r in left_out))
