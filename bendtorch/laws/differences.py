"""L27: the gradients agree with central differences of the forward pass.

For a coordinate t of x or p, and f(t) = ⟨dy, F⟩ as a function of it, the backward pass must give f'(t). The forward
pass is float32, so the step h is 2^-7 of the coordinate's size, or of 1: far above the rounding of F, and small enough
that what a central difference leaves out, which falls with h², is seen by comparing the steps h and 2h.

Where F bends sharply near t (a ReLU at 0, a maximum with two candidates) a difference is off by half of the corner.
The slopes to the left and to the right differ by K over h and over 2h at a corner of K, by S and 2S where F is smooth;
so the first less half of the second is K/2, whatever S is. Each number of F adds that to what the slope may be off by;
a coordinate at which it comes to much of the slope is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from bendtorch.laws.law import CLOSE, LAYER, LOSS, Difference, Law, NotHereError
from bendtorch.laws.nest import Array, arrays_in, floats_in, named, replaced
from bendtorch.laws.sides import finite_size
from bendtorch.laws.trial import SPREAD, Trial

STEP: Final = 2.0**-7
ROUNDINGS: Final = 32 * 2.0**-24  # that a number of y may be off by, as a part of the largest
UNMOVED: Final = 2.0**-24  # of a number of y: a smaller change is rounded away
RELATIVE: Final = 2.0**-10
BEND: Final = 0.05  # of the slope: what may be left out of it, and corners may add, where it is still judged
TURNS: Final = (-2, -1, 0, 1, 2)  # the points, in steps
COORDINATES: Final = 6  # of x, and of p, in one trial


def _agrees(trial: Trial) -> Difference | None:
    gradients = trial.backward(trial.x, trial.dy)
    judged = 0
    for name, value, gradient, at in (
        ("dx", trial.x, gradients.get("dx"), lambda x: trial.layer.fwd(trial.p, x).y),
        ("dp", trial.p, gradients["dp"], lambda p: trial.layer.fwd(p, trial.x).y),
    ):
        if gradient is None:
            continue
        for place, where in _coordinates(value, trial.seed):
            array, actual = named(gradient, name)[place]
            if actual.shape != arrays_in(value)[place].shape:
                raise NotHereError("a gradient has another shape than its value, which is for L25 to say")
            known = slope_along(trial.dy, value, place, where, at)
            if known is None:
                continue
            judged += 1
            slope, slack = known
            slack += RELATIVE * finite_size(actual)
            if not abs(float(actual[where]) - slope) <= slack:
                text = f"{slope:.6g} ± {slack:.1g}"
                return Difference(
                    f"{array}[{', '.join(map(str, where))}]", "B(x, dy)", str(actual[where]), "F's difference", text
                )
    if not judged:
        raise NotHereError("it has no coordinate at which a difference is reliable")
    return None


def _coordinates(value: Any, seed: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Some places in the arrays of numbers of a nest: each array first, then anywhere in it."""
    generator = np.random.default_rng(seed)
    arrays = arrays_in(value)
    places = [place for place, array in enumerate(arrays) if array.dtype.kind == "f" and array.size]
    for place in generator.choice(places, COORDINATES) if places else ():
        where = np.unravel_index(generator.integers(arrays[place].size), arrays[place].shape)
        yield int(place), tuple(int(k) for k in where)


def slope_along(
    dy: Any, value: Any, place: int, where: tuple[int, ...], at: Callable[[Any], Any]
) -> tuple[float, float] | None:
    """The slope of ⟨dy, at(value)⟩ along a coordinate and how far it may be off; None where differences cannot tell."""
    array = arrays_in(value)[place]
    h = STEP * max(abs(float(array[where])), 1.0)
    points, outputs = {}, {}
    for k in TURNS:
        moved = array.copy()
        moved[where] += np.float32(k * h)
        points[k], outputs[k] = float(moved[where]), floats_in(at(replaced(value, place, moved)))
    return slope_of(floats_in(dy), points, outputs, h)


def slope_of(
    dys: list[Array],
    points: dict[int, float],
    outputs: dict[int, list[Array]],
    h: float,
    rounding: float = ROUNDINGS,
) -> tuple[float, float] | None:
    """The slope of ⟨dy, F⟩ at point 0 from F at five points, h apart, and how far it may be off.

    A number of F may be off by `rounding`, as a part of the largest.
    """

    def rise(low: int, high: int) -> list[Array]:
        """The slope of each number of F between two points."""
        width = points[high] - points[low]
        return [(a.astype(np.float64) - b) / width for a, b in zip(outputs[high], outputs[low], strict=True)]

    def apart(one: list[Array], other: list[Array]) -> float:
        """How far two slopes differ, none of it cancelled."""
        return sum(float(np.sum(np.abs(dy * (a - b)))) for dy, a, b in zip(dys, one, other, strict=True))

    def bends(low: int, high: int) -> list[Array]:
        """By how much the slope of each number of F changes at 0."""
        return [a - b for a, b in zip(rise(0, high), rise(low, 0), strict=True)]

    narrow, noise = rise(-1, 1), _noise(dys, outputs, rounding) / h
    left_out = apart(narrow, rise(-2, 2))
    corners = apart(bends(-1, 1), [bend / 2 for bend in bends(-2, 2)])
    size = apart(narrow, [np.zeros_like(one) for one in narrow])
    if not left_out + corners <= BEND * size + noise:
        return None
    slope = sum(float(np.sum(dy * one)) for dy, one in zip(dys, narrow, strict=True))
    return slope, noise + 3 * left_out + 1.5 * corners


def _noise(dys: list[Array], outputs: dict[int, list[Array]], rounding: float) -> float:
    """How far ⟨dy, F⟩ may be off by rounding, of numbers of F that move, and of others by what does not move them."""
    total = 0.0
    for i, dy in enumerate(dys):
        here = np.abs(outputs[0][i])
        moving = np.any([outputs[k][i] != outputs[0][i] for k in TURNS if k], axis=0)
        total += rounding * float(np.abs(dy[moving]).sum(dtype=np.float64)) * float(here.max(initial=0))
        total += UNMOVED * float((np.abs(dy) * here)[~moving].sum(dtype=np.float64))
    return total


DIFFERENCES: Final = Law(
    "L27",
    "gradients agree with central differences",
    "⟨dy, F(t + h) - F(t - h)⟩ / 2h = the derivative that B gives, for coordinates t of x and p",
    CLOSE,
    _agrees,
    SPREAD,
    "the forward pass is smooth near the point",
    subjects=(LAYER, LOSS),
    hint="a factor or a term is missing, a product is transposed, or another value is saved than the formula needs",
)
