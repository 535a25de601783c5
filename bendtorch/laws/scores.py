"""L53 of attention, which has a softmax inside: what all keys of a head have in common is not seen."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.laws.heads import Heads, changed
from bendtorch.laws.law import Difference, differ
from bendtorch.laws.nest import Array
from bendtorch.laws.sides import ROUNDING, passes
from bendtorch.laws.trial import Trial

COMMON: Final = np.float32(2.0**16)  # the products of so large values with whole numbers are whole


def centred(trial: Trial) -> Difference | None:
    """Keys shifted by one vector give the same y; dk sums to 0, also where all values have much in common.

    On whole numbers, whose products are exact: what the gradients of the scores are off by is their own fault.
    """
    h, generator = Heads.of(trial, "t", "kv", "g", "hd"), trial.generator(53)

    def whole(place: int, array: Array) -> None:
        array[...] = generator.integers(-3, 4, array.shape)
        if place == 2:
            array += COMMON

    def shifted(place: int, array: Array) -> None:
        if place == 1:
            array += generator.integers(-3, 4, array.shape[1])

    x, dy = changed(trial.x, whole), changed(trial.dy, whole)
    one, two = (passes(trial.layer, trial.p, value, dy) for value in (x, changed(x, shifted)))
    near = {"y": [ROUNDING * float(COMMON)]}
    found = differ("keys shifted by one vector", {"y": two["y"]}, "the keys", {"y": one["y"]}, near)
    gradients = [array for place, array in one.items() if place.startswith("dx")][1]
    sums = h.at(gradients).sum(axis=1, dtype=np.float64)
    near = {"dk": [ROUNDING * h.t * h.g * h.hd * 9 * 6]}
    return found or differ("the sums of dk over a head's keys", {"dk": sums}, "0", {"dk": np.zeros_like(sums)}, near)
