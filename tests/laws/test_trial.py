"""Trials: arrays of any nest of specs, ids below their bound, parameters of any kind of number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Dropout, Linear
from bendtorch.errors import ConfigError
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.trial import EVERY, batch_share, draw, filled, in_equal_shares
from bendtorch.layer import Info
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.arrays import all_same_bits, snapshot

SPEC = ((mat_spec(3, 2), (ids_spec(40, below=5), mat_spec(1, 1))), ids_spec(2))
linear: Any = Linear
dropout: Any = Dropout


@pytest.mark.parametrize("kind", EVERY)
@given(seed=st.integers(0, 1000))
def test_arrays_are_as_the_spec_says(kind: str, seed: int) -> None:
    value = filled(SPEC, np.random.default_rng(seed), kind)
    (a, (ids, b)), free = value
    assert [(x.shape, x.dtype.name) for x in (a, ids, b, free)] == [
        ((3, 2), "float32"),
        ((40,), "int64"),
        ((1, 1), "float32"),
        ((2,), "int64"),
    ]
    assert ids.min() >= 0
    assert ids.max() < 5
    assert set(free.tolist()) <= {0, 1}


@pytest.mark.parametrize("kind", EVERY)
def test_a_seed_gives_one_trial(kind: str) -> None:
    layer = linear(3, 4, 5)
    one, same, other = (draw(layer, seed, kind) for seed in (1, 1, 2))
    values = [(t.p, t.x, t.dy, t.x2, t.dy2, t.g) for t in (one, same, other)]
    assert all_same_bits(values[0], values[1])
    assert not all_same_bits(values[0], values[2])


def test_special_numbers_reach_parameters_and_counters() -> None:
    p = draw(linear(1, 20, 20), 0, "special").p
    assert np.isnan(p.weight).any()
    assert draw(dropout(2, 3, 0.5, 1), 0).p.dtype == np.uint32


def test_a_layer_without_specs_needs_an_example() -> None:
    silent = replace(linear(2, 3, 4), info=Info("Silent"))
    with pytest.raises(ConfigError, match=r"Silent\(\) does not say what it takes; give it an Info with `takes`"):
        draw(silent, 0)
    trial = draw(silent, 0, example=np.zeros((2, 3), np.float32))
    assert trial.x.shape == (2, 3)
    assert trial.dy.shape == (2, 4)
    assert trial.x.any()


def test_ids_are_drawn_among_those_of_the_example() -> None:
    silent = replace(linear(2, 3, 4), info=Info("Silent", gives=mat_spec(1, 1)))
    trial = draw(silent, 0, example=(np.array([7, 9, 9]), np.zeros((0,), np.int32)))
    assert set(trial.x[0].tolist()) <= {7, 9}
    assert trial.x[1].dtype == np.int32


def test_a_fresh_trial_shares_no_memory() -> None:
    trial = draw(linear(2, 3, 4), 0)
    kept = snapshot((trial.p, trial.x))
    fresh = trial.fresh()
    for array in arrays_in((fresh.p, fresh.x)):
        array[...] = 0
    assert all_same_bits((trial.p, trial.x), kept)


def test_shares_of_a_batch() -> None:
    value = (np.arange(12).reshape(6, 2), np.arange(3))
    rows, ids = batch_share(value, 3, 1, 3)
    assert rows.tolist() == [[4, 5], [6, 7], [8, 9], [10, 11]]
    assert ids.tolist() == [1, 2]
    assert in_equal_shares(value, 3)
    assert not in_equal_shares(value, 2)
    assert not in_equal_shares(np.zeros(()), 1)
