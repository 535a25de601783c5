"""A step from several micro-batches, and clipped gradients, for states in flat buffers and for trees."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import SGD, AdamW, ClipNorm, ClipValue, CrossEntropy, Dropout, Key, Linear, ReLU, Train
from bendtorch.errors import ConfigError, IndexRangeError, NonFiniteError
from bendtorch.optim import global_norm
from bendtorch.train.train import scaled
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds

CE: Any = CrossEntropy


def mlp(n: int) -> Any:
    """6 → 5 → 4."""
    net: Any = Linear(n, 6, 5) >> ReLU(n, 5) >> Linear(n, 5, 4)
    return net


def as_tree(model: Any) -> Any:
    """The same model without views, so that a run keeps no flat buffers."""
    return dataclasses.replace(model, view=None)


BOTH = pytest.mark.parametrize("change", [lambda model: model, as_tree], ids=["flat", "tree"])


def batch(seed: int, n: int) -> tuple[Any, Any]:
    return numbers(seed, n, 6), np.random.default_rng(seed).integers(0, 4, n)


@BOTH
@given(seed=seeds, sizes=st.lists(st.integers(1, 7), min_size=1, max_size=5))
def test_unequal_micro_batches_weighted_by_their_size_are_one_large_batch(
    change: Callable[[Any], Any], seed: int, sizes: list[int]
) -> None:
    """L31."""
    total = sum(sizes)
    x, target = batch(seed, total)
    p = mlp(total).init(Key(seed))
    parts, whole = Train.new(change(mlp(1)), SGD(0.5), p), Train.new(mlp(total), SGD(0.5), p)
    low = 0
    for n in sizes:
        parts.collect(change(mlp(n)), CE(n, 4), x[low : low + n], target[low : low + n], weight=n)
        low += n
    parts.apply(change(mlp(1)))
    whole.step(mlp(total), CE(total, 4), x, target)
    dump = mlp(1).dump
    assert np.allclose(dump(parts.p), dump(whole.p), rtol=1e-5, atol=1e-6)
    assert parts.t == 1
    assert not dump(parts.g).any()
    if len(sizes) == 1:
        assert same_bits(dump(parts.p), dump(whole.p))


@BOTH
def test_each_micro_batch_draws_its_own_masks(change: Callable[[Any], Any]) -> None:
    seen: list[int] = []
    drop: Any = Dropout(4, 6, 0.5, 1)

    def fwd(p: Any, x: Any) -> Any:
        seen.append(int(p[0, 0]))
        return drop.fwd(p, x)

    net: Any = change(dataclasses.replace(drop, fwd=fwd, vary=None) >> Linear(4, 6, 4))
    train = Train.new(net, SGD(0.1), net.init(Key(0)))
    x, target = batch(1, 4)
    train.step(net, CE(4, 4), x, target)
    for _ in range(3):
        train.collect(net, CE(4, 4), x, target)
    train.apply(net)
    train.step(net, CE(4, 4), x, target)
    assert seen == [0, 1, 2, 3, 4]
    assert net.dump(train.p).view(np.uint32)[0] == 5


@BOTH
@pytest.mark.parametrize("clip", [ClipNorm(0.01), ClipValue(0.001), ClipNorm(1e9)])
def test_a_clipped_step(change: Callable[[Any], Any], clip: Any) -> None:
    model = change(mlp(5))
    train = Train.new(model, SGD(1.0), mlp(5).init(Key(1)), clip=clip)
    before = model.dump(train.p)
    x, target = batch(2, 5)
    forward = model.fwd(train.p, x)
    g = model.dump(model.bwd(train.p, forward.s, CE(5, 4).grad(forward.y, target).dy, model.zeros()).g)
    norm = global_norm(g)
    train.step(model, CE(5, 4), x, target)
    assert train.norm == norm
    clip(g)
    assert np.allclose(before - g, model.dump(train.p), rtol=0, atol=1e-7)


@BOTH
def test_a_gradient_that_is_not_finite_stops_before_the_step(change: Callable[[Any], Any]) -> None:
    model = change(mlp(5))
    train = Train.new(model, AdamW(1e-3), mlp(5).init(Key(1)), clip=ClipNorm(1.0))
    before = model.dump(train.p)
    x, target = batch(2, 5)
    x[0, 0] = np.inf
    with pytest.raises(NonFiniteError, match="norm of the gradient"), np.errstate(all="ignore"):
        train.step(model, CE(5, 4), x, target)
    assert same_bits(model.dump(train.p), before)
    assert not model.dump(train.g).any()
    assert (train.t, train.weights) == (0, [])


@BOTH
def test_a_failing_micro_batch_drops_what_was_collected(change: Callable[[Any], Any]) -> None:
    model = change(mlp(5))
    train = Train.new(model, SGD(1.0), mlp(5).init(Key(1)))
    x, target = batch(2, 5)
    train.collect(model, CE(5, 4), x, target)
    with pytest.raises(IndexRangeError):
        train.collect(model, CE(5, 4), x, target + 9)
    assert not model.dump(train.g).any()
    before = model.dump(train.p)
    train.apply(model)
    assert same_bits(model.dump(train.p), before)


@pytest.mark.parametrize("weight", [0, -1.0, math.nan, math.inf, "2"])
def test_impossible_weights_are_refused(weight: Any) -> None:
    model = mlp(5)
    train = Train.new(model, SGD(1.0), model.init(Key(1)))
    with pytest.raises(ConfigError, match="collect: weight must be a finite number above 0"):
        train.collect(model, CE(5, 4), *batch(2, 5), weight)


def test_every_matrix_of_a_nest_is_scaled_and_ids_stay() -> None:
    a, b, ids = numbers(0, 2, 3), numbers(1, 2, 1), np.array([1, 2])
    x, (y, z) = scaled((a, (ids, b)), 0.3)
    assert same_bits(x, a * np.float32(0.3))
    assert same_bits(z, b * np.float32(0.3))
    assert y is ids
