"""Results under the names of their places, and what rounding may do to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Embedding, Linear, LinearFirst
from bendtorch.laws.law import NotHereError
from bendtorch.laws.sides import added, finite_size, gradients, passes, side, slack_of
from bendtorch.laws.trial import draw
from tests.support.arrays import numbers

linear: Any = Linear
first: Any = LinearFirst
embedding: Any = Embedding


def test_results_are_named_by_their_places() -> None:
    trial = draw(linear(2, 3, 4), 0)
    assert list(passes(trial.layer, trial.p, trial.x, trial.dy)) == ["y", "dx", "dp.weight", "dp.bias"]
    assert list(side({"dx": (numbers(1, 2), (np.arange(2), numbers(2, 1)))})) == ["dx[0]", "dx[1][1]"]


def test_what_is_no_gradient_is_left_out() -> None:
    for layer, places in ((first(2, 3, 4), ["dp.weight", "dp.bias"]), (embedding(2, 3, 4), ["dp"])):
        trial = draw(layer, 0)
        assert list(gradients(trial, trial.x, trial.dy)) == places


def test_sums_place_by_place() -> None:
    assert added({"y": numbers(1, 2)}, {"y": numbers(2, 2)})["y"].tolist() == (numbers(1, 2) + numbers(2, 2)).tolist()


def test_slack_grows_with_the_largest_number_and_refuses_what_is_not_finite() -> None:
    trial = draw(linear(2, 3, 4), 0)
    small, large = ({"y": np.full(2, size, np.float32)} for size in (1, 1e6))
    assert slack_of(trial, [small])["y"][0] < slack_of(trial, [small, large])["y"][0]
    with pytest.raises(NotHereError, match="not finite"):
        slack_of(trial, [small, {"y": np.array([np.inf], np.float32)}])


def test_the_size_of_what_is_finite() -> None:
    assert finite_size(np.array([1, -3, np.inf, np.nan], np.float32)) == 3
    assert finite_size(np.array([np.inf], np.float32)) == 0
