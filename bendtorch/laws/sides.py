"""The sides of a law: results under their names, and how far rounding may take two of them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.laws.law import NotHereError
from bendtorch.laws.nest import Array, floats_in, named
from bendtorch.laws.trial import AnyLayer, Trial

Side: TypeAlias = dict[str, Array]
"""Results by the names of their places: `y`, `dx[0]`, `dp.weight`."""

ROUNDING: Final = 2.0**-16
"""What sums in another order may differ by, as a part of the largest number among their terms."""

HIDDEN: Final = 2.0**-14
"""The same as a part of dy times the largest of 1, p and x: terms of that size may cancel unseen."""

UNDERFLOW: Final = 2.0**-120
"""What numbers may differ by on the way to which something underflowed."""


def side(passed: Mapping[str, Any]) -> Side:
    """The numbers in some results, without what stands in the place of ids' and counters' gradients."""
    return {
        place: array for name, nest in passed.items() for place, array in named(nest, name) if array.dtype.kind == "f"
    }


def passes(layer: AnyLayer, p: Any, x: Any, dy: Any) -> Side:
    """Output and gradients of both passes, the latter into zeros."""
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    return side({"y": forward.y, "dx": backward.dx, "dp": backward.g})


def gradients(trial: Trial, x: Any, dy: Any) -> Side:
    """Both gradients of a trial's layer; dx is left out where the layer gives none."""
    return side(trial.backward(x, dy))


def slack_of(trial: Trial, sides: Iterable[Side]) -> dict[str, Sequence[float]]:
    """For each place, what rounding may do to the numbers there; refuses sides that overflowed.

    It is the rounding of the largest number at the place on any side, and of terms that may have cancelled.
    """
    largest: dict[str, float] = {}
    for one in sides:
        for place, array in one.items():
            size = size_of(array)
            if not np.isfinite(size):
                raise NotHereError("a result is not finite")
            largest[place] = max(largest.get(place, 0.0), size)
    dy = max(map(size_of, floats_in((trial.dy, trial.dy2))), default=0.0)
    hidden = HIDDEN * dy * max([1.0, *map(size_of, floats_in((trial.p, trial.x)))]) + UNDERFLOW
    return {place: [ROUNDING * size + hidden] for place, size in largest.items()}


def size_of(array: Array) -> float:
    """The size of an array's largest number."""
    return float(np.abs(array).max(initial=0))


def finite_size(array: Array) -> float:
    """The size of the largest that is finite: one that overflowed does not excuse the others."""
    return size_of(array[np.isfinite(array)])


def added(one: Side, two: Side) -> Side:
    """The sum of two sides, place by place."""
    return {place: array + two[place] for place, array in one.items()}
