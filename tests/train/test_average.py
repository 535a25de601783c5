"""The moving average of the weights, against float64."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import SGD, CrossEntropy, Dropout, Key, Linear, Train
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.train import Average
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds

NET: Any = Linear(4, 3, 5) >> Dropout(4, 5, 0.5, 1) >> Linear(4, 5, 2)
WITHOUT_VIEWS: Any = dataclasses.replace(NET, view=None)
COUNTER = 20  # its place in a dump


@pytest.mark.parametrize("net", [NET, WITHOUT_VIEWS], ids=["flat", "tree"])
@given(seed=seeds, decay=st.floats(0, 1))
def test_against_float64(net: Any, seed: int, decay: float) -> None:
    train = Train.new(net, SGD(0.1), net.init(Key(seed)))
    average = Average(net, train, decay)
    exact = net.dump(train.p).astype(np.float64)
    for t in range(1, 6):
        train.step(net, CrossEntropy(4, 2), numbers(seed + t, 4, 3), np.array([0, 1, 1, 0]))
        average.update(train)
        exact += (1 - decay) * (net.dump(train.p) - exact)
        flat = net.dump(average.p)
        assert flat.view(np.uint32)[COUNTER] == t
        assert np.allclose(np.delete(flat, COUNTER), np.delete(exact, COUNTER), rtol=1e-5, atol=1e-6)


def test_no_decay_is_the_last_weights() -> None:
    train = Train.new(NET, SGD(0.1), NET.init(Key(0)))
    average = Average(NET, train, 0.0)
    train.step(NET, CrossEntropy(4, 2), numbers(1, 4, 3), np.array([0, 1, 1, 0]))
    assert not same_bits(NET.dump(average.p), NET.dump(train.p))
    average.update(train)
    assert np.allclose(NET.dump(average.p), NET.dump(train.p), rtol=1e-6)


@pytest.mark.parametrize("decay", [-0.1, 1.1, math.nan, True, "0.9"])
def test_impossible_decays_are_refused(decay: Any) -> None:
    with pytest.raises(ConfigError, match="decay must be a number from 0 to 1"):
        Average(NET, Train.new(NET, SGD(0.1), NET.zeros()), decay)


def test_another_models_run_is_refused() -> None:
    small: Any = Linear(4, 3, 2)
    average = Average(NET, Train.new(NET, SGD(0.1), NET.zeros()))
    with pytest.raises(ShapeError, match="made for 33 numbers, got 8"):
        average.update(Train.new(small, SGD(0.1), small.zeros()))
