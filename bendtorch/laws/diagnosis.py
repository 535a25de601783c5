"""What a wrong gradient has in common with the right one: the mistake behind a difference from L27, in words.

The derivative of the whole array is taken by differences on a few trials; a pattern that explains it on all of them is
named. Where there is none, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.laws.differences import slope_along
from bendtorch.laws.nest import Array, arrays_in, named, shown
from bendtorch.laws.trial import Trial

MOST: Final = 64  # numbers of an array whose derivative is taken
NEAR: Final = 0.02  # of the largest: what differences leave in doubt
FACTORS: Final = {0.5: "half", 2.0: "twice", -1.0: "minus", 0.25: "a quarter of", 4.0: "four times"}


@dataclass(frozen=True)
class Seen:
    """One array of a gradient on one trial: what the layer gives, the derivative, and the rows of x."""

    trial: Trial
    actual: Array
    wanted: Array
    rows: int


def diagnosed(trials: Sequence[Trial], place: str) -> str:
    """What is wrong with the array that a place (`dp.weight[0, 1]`) is in; empty where no pattern is found."""
    array = place.rsplit("[", 1)[0]
    judged = [found for trial in trials if (found := _judged(trial, array)) is not None]
    seen = [one for one in judged if not _near(one.actual, one.wanted)]
    if not seen:
        return ""
    for holds, text in PATTERNS:
        if all(holds(one.actual, one.wanted, one.rows) for one in seen):
            return f"{array} {text}"
    for name, other in (("y", lambda trial, y: y), ("x", lambda trial, y: trial.x)):
        if all(_right_with(one, array, other) for one in judged):
            return (
                f"{array} is the derivative where bwd is given {name} in the place of s: "
                "the forward pass saves another value than the formula needs"
            )
    factor = _factor(seen)
    if factor is None:
        return ""
    known = next((text for number, text in FACTORS.items() if abs(factor - number) <= NEAR * abs(number)), None)
    what = "its sign is wrong" if known == "minus" else f"a factor of {1 / factor:.3g} is missing"
    return f"{array} is {known or f'{factor:.3g} times'} the derivative everywhere: {what}"


def _judged(trial: Trial, array: str) -> Seen | None:
    """The array on one trial; None where it cannot be told."""
    try:
        names = [name for name, _ in named(trial.x if array.startswith("dx") else trial.p, array[:2])]
        index = names.index(array)
        actual = _gradient(trial, array, index, trial.layer.fwd(trial.p, trial.x).s)
        wanted = _derivative(trial, trial.x if array.startswith("dx") else trial.p, index)
    except Exception:
        return None
    rows = max((len(one) for one in arrays_in(trial.x) if one.ndim), default=0)
    if wanted is None or not np.all(np.isfinite(actual)) or float(np.abs(wanted).max(initial=0)) < NEAR or rows < 2:
        return None
    return Seen(trial, actual.astype(np.float64), wanted, rows)


def _gradient(trial: Trial, array: str, index: int, s: Any) -> Array:
    """One array of the gradient that the backward pass gives from what is saved."""
    back = trial.layer.bwd(trial.p, s, trial.dy, trial.layer.zeros())
    return arrays_in(back.dx if array.startswith("dx") else back.g)[index]


def _right_with(one: Seen, array: str, other: Callable[[Trial, Any], Any]) -> bool:
    """Whether the gradient is the derivative if something else is saved."""
    trial = one.trial
    names = [name for name, _ in named(trial.x if array.startswith("dx") else trial.p, array[:2])]
    try:
        forward = trial.layer.fwd(trial.p, trial.x)
        saved = other(trial, forward.y)
        if shown(saved) != shown(forward.s):
            return False
        return _near(_gradient(trial, array, names.index(array), saved), one.wanted)
    except Exception:
        return False


def _derivative(trial: Trial, value: Any, index: int) -> Array | None:
    """The derivative of ⟨dy, F⟩ by every number of one array."""
    array = arrays_in(value)[index]
    if array.size > MOST or array.dtype.kind != "f":
        return None
    layer, of_input = trial.layer, value is trial.x
    result = np.zeros(array.shape)
    for where in np.ndindex(array.shape):
        known = slope_along(
            trial.dy,
            value,
            index,
            where,
            lambda moved: layer.fwd(trial.p, moved).y if of_input else layer.fwd(moved, trial.x).y,
        )
        if known is None:
            return None
        result[where] = known[0]
    return result


def _near(one: Array, other: Array) -> bool:
    if one.shape != other.shape:
        return False
    return bool(np.all(np.abs(one - other) <= NEAR * max(float(np.abs(other).max(initial=0)), 1e-6)))


def _factor(seen: Sequence[Seen]) -> float | None:
    """A factor between the two that is the same on every trial, where there is one beside 0 and 1."""
    ratios = [float(np.sum(one.actual * one.wanted) / np.sum(one.wanted**2)) for one in seen]
    first = ratios[0]
    if min(abs(first), abs(first - 1)) <= NEAR or max(abs(ratio - first) for ratio in ratios) > NEAR * abs(first):
        return None
    return first if all(_near(one.actual, first * one.wanted) for one in seen) else None


PATTERNS: Final[tuple[tuple[Callable[[Array, Array, int], bool], str], ...]] = (
    (lambda a, w, n: not a.any(), "is zero everywhere: it is never computed, or not added to g"),
    (
        lambda a, w, n: _near(a * n, w),
        "is the derivative divided by the number of rows: a mean where a sum belongs",
    ),
    (
        lambda a, w, n: _near(a, np.full_like(w, w.sum())),
        "has the sum of the whole derivative in every place: it is summed over one axis too many and broadcast",
    ),
    (
        lambda a, w, n: _near(a.T, w),
        "is the derivative transposed",
    ),
)
"""What a gradient and the derivative may have in common, of a batch of n rows."""
