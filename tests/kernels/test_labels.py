"""The first id out of range; what labels weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.labels import first_outside, inverse, total_weight

FIRST_OUTSIDE: Any = first_outside
TOTAL_WEIGHT: Any = total_weight
words = st.one_of(st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1))


@given(values=st.lists(words, max_size=30), bound=st.integers(1, 10), allowed=words)
def test_the_first_outside(values: list[int], bound: int, allowed: int) -> None:
    outside = [place for place, value in enumerate(values) if not 0 <= value < bound and value != allowed]
    assert FIRST_OUTSIDE(np.array(values, np.int64), bound, allowed) == (outside[0] if outside else -1)


@given(values=st.lists(words, max_size=30), bound=st.integers(1, 10))
def test_nothing_else_is_allowed_unless_it_is_said(values: list[int], bound: int) -> None:
    ids = np.array(values, np.int64)
    assert FIRST_OUTSIDE(ids, bound) == FIRST_OUTSIDE(ids, bound, 0)


@given(labels=st.lists(st.integers(-1, 3), max_size=30), ignored=st.integers(-1, 3))
def test_the_weight_of_labels(labels: list[int], ignored: int) -> None:
    weights = np.array([0.5, 3, 0, 1], np.float32)
    kept = [label if label >= 0 else ignored for label in labels]
    wanted = sum(float(weights[label]) for label in kept if label != ignored)
    assert TOTAL_WEIGHT(np.array(kept, np.int64), weights, ignored) == wanted


@pytest.mark.parametrize(("total", "wanted"), [(4.0, 0.25), (0.0, 0.0)])
def test_what_a_mean_is_multiplied_with(total: float, wanted: float) -> None:
    assert inverse(total) == wanted
