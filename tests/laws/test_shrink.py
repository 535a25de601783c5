"""Shrinking: the smallest sizes first, then simple numbers, and always a trial that fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import Linear
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.shrink import BUDGET, Shrinker
from bendtorch.laws.trial import Trial, draw

linear: Any = Linear


def drawn(sizes: tuple[int, ...], seed: int) -> Trial:
    return draw(linear(*sizes), seed, sizes=sizes)


def shrunk(fails: Any, sizes: tuple[int, ...] = (5, 8, 4)) -> Trial:
    trial = drawn(sizes, 3)
    assert fails(trial)
    small = Shrinker(fails, drawn)(trial)
    assert fails(small)
    return small


def test_sizes_become_as_small_as_the_fault_allows() -> None:
    assert shrunk(lambda trial: True).sizes == (0, 1, 1)
    assert shrunk(lambda trial: trial.sizes[0] >= 2 and trial.sizes[1] >= 3).sizes == (2, 3, 1)


def test_numbers_become_zeros_and_ones() -> None:
    small = shrunk(lambda trial: trial.sizes[0] > 0 and bool((trial.x > 0).any()))
    assert small.x.tolist() == [[1.0]]
    assert not any(array.any() for array in arrays_in((small.p, small.dy, small.x2, small.dy2, small.g)))


def test_a_number_that_must_be_large_becomes_whole() -> None:
    small = shrunk(lambda trial: trial.sizes[2] >= 2 and bool(np.any(np.abs(trial.p.bias) > 1.2)))
    assert small.sizes == (0, 1, 2)
    values = np.abs(small.p.bias)
    assert np.all(values == np.rint(values))
    assert np.count_nonzero(values > 1) == 1


def test_it_gives_up_after_a_number_of_trials() -> None:
    calls = [0]

    def fails(trial: Trial) -> bool:
        calls[0] += 1
        return calls[0] == 1

    Shrinker(fails, drawn)(drawn((8, 8, 8), 0))
    assert calls[0] <= BUDGET


def test_sizes_that_cannot_be_built_are_passed_over() -> None:
    def only_even(sizes: tuple[int, ...], seed: int) -> Trial | None:
        return drawn(sizes, seed) if sizes[1] % 2 == 0 else None

    small = Shrinker(lambda trial: True, only_even)(drawn((3, 8, 2), 0))
    assert small.sizes == (0, 2, 1)
