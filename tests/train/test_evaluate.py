"""Evaluation: the mean over all examples, without dropout."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import CrossEntropy, Dropout, Key, Linear
from bendtorch.train import batches, evaluate
from tests.support.arrays import labels, numbers, same_bits
from tests.support.sizes import seeds

CE: Any = CrossEntropy
EVALUATE: Any = evaluate


def model(n: int) -> Any:
    layers: Any = Dropout
    return layers(n, 3, 0.5, 1) >> Linear(n, 3, 4)


@given(seed=seeds, count=st.integers(1, 20), size=st.integers(1, 8))
def test_the_size_of_batches_does_not_matter(seed: int, count: int, size: int) -> None:
    x, target, p = numbers(seed, count, 3), labels(seed, count, 4), model(1).init(Key(seed))
    before = model(1).dump(p)
    value = EVALUATE(model, lambda n: CE(n, 4), batches(x, target, size), p)
    whole = model(count).eval().fwd(p, x).y
    assert value == pytest.approx(CE(count, 4).value(whole, target), rel=1e-5)
    assert same_bits(model(1).dump(p), before)
