"""Medians, quartiles, and ratios pair by pair.

Times on a shared machine have a long tail to one side, so a row is described by its median and quartiles, and two sides
are compared round by round: what disturbs a round disturbs both of its blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Spread:
    """A sample's lower quartile, median and upper quartile."""

    low: float
    median: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """The quartiles of a sample. Raises `ValueError` for an empty one."""
    if not values:
        raise ValueError("a spread needs at least one value")
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    return Spread(float(low), float(median), float(high))


def speedup(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """How many times faster ours is: their time over our time, pair by pair."""
    return spread([their / our for our, their in zip(ours, theirs, strict=True)])


def share(amount: float, seconds: float, limit: float) -> float | None:
    """The share of a limit (per second) that `amount` in `seconds` is; None where the work has no such amount."""
    return amount / seconds / limit if amount > 0 and limit > 0 else None
