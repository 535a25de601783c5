"""Shrinking: the smallest sizes, then the simplest numbers, on which a law is still broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bendtorch.laws.nest import arrays_in, replaced
from bendtorch.laws.trial import NUMBERS, Trial

BUDGET: Final = 600  # trials: a failure is small long before
REDRAWS: Final = 6  # of each smaller size, as not all numbers show a fault

Draw = Callable[[tuple[int, ...], int], Trial | None]


class Shrinker:
    """Tries simpler trials as long as they still fail."""

    def __init__(self, fails: Callable[[Trial], bool], draw: Draw) -> None:
        self.fails, self.draw, self.left = fails, draw, BUDGET

    def __call__(self, trial: Trial) -> Trial:
        """The simplest failing trial found, starting from a failing one."""
        return self.simplified(self.smaller(trial))

    def still(self, trial: Trial | None) -> bool:
        """Whether a trial fails too; none does when the budget is used up."""
        if trial is None or self.left <= 0:
            return False
        self.left -= 1
        return self.fails(trial)

    def smaller(self, trial: Trial) -> Trial:
        """The same fault at smaller sizes."""
        for sizes in _smaller_sizes(trial.sizes):
            for turn in range(REDRAWS):
                other = self.draw(sizes, trial.seed + turn)
                if self.still(other):
                    assert other is not None
                    return self.smaller(other)
        return trial

    def simplified(self, trial: Trial) -> Trial:
        """The same fault with simpler numbers: whole arrays first, then one by one."""
        for change in (_filled(0), _filled(1), _whole, _elements(0), _elements(1)):
            for name in NUMBERS:
                for place in range(len(arrays_in(getattr(trial, name)))):
                    trial = self.changed(trial, name, place, change)
        return trial

    def changed(self, trial: Trial, name: str, place: int, change: Callable[[Any], Iterator[Any]]) -> Trial:
        """The trial with every change of one array that keeps the fault."""
        value = getattr(trial, name)
        if arrays_in(value)[place].dtype.kind == "u":  # a counter is no number to simplify
            return trial
        for array in change(arrays_in(value)[place].copy()):
            other = replace(trial, **{name: replaced(getattr(trial, name), place, array.copy())})
            if self.still(other):
                trial = other
            else:
                array[...] = arrays_in(getattr(trial, name))[place]
        return trial


def _smaller_sizes(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Sizes of which one is smaller, the smallest first; the first size may be 0, if any."""
    for place, size in enumerate(sizes):
        for less in range(0 if place == 0 else 1, size):
            yield (*sizes[:place], less, *sizes[place + 1 :])


def _filled(value: float) -> Callable[[Any], Iterator[Any]]:
    def change(array: Any) -> Iterator[Any]:
        if np.any(array != value):
            array[...] = value
            yield array

    return change


def _whole(array: Any) -> Iterator[Any]:
    """Whole numbers near the numbers."""
    if array.dtype.kind == "f" and np.any(array != np.rint(array)) and np.all(np.abs(array) < 2**20):
        array[...] = np.rint(array)
        yield array


def _elements(value: float) -> Callable[[Any], Iterator[Any]]:
    """One number after the other as `value`; whoever refuses a change takes it back in the array."""

    def change(array: Any) -> Iterator[Any]:
        for where in np.ndindex(array.shape):
            if array[where] != value and array[where] != 0:
                array[where] = value
                yield array

    return change
