"""Training state and steps: L39, L44, purity towards the caller, and agreement with float64."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.combine import Seq
from bendtorch.errors import ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd, Step, make_layer, matrix
from bendtorch.layers import Linear, LinearFirst, LinearNB, ReLU
from bendtorch.losses import CrossEntropy
from bendtorch.optim import SGD, Adam, PackedAdamW
from bendtorch.train import Train
from tests.support import references
from tests.support.arrays import all_same_bits, as_lists, labels, numbers, same_bits, snapshot
from tests.support.chains import lists_of_layers
from tests.support.params import OPTIMIZERS, random_like
from tests.support.sizes import seeds

LIN: Any = Linear
FIRST: Any = LinearFirst
NB: Any = LinearNB
RELU: Any = ReLU
CE: Any = CrossEntropy
MATRIX: Any = matrix
NAMES = [type(optimizer).__name__ for optimizer in OPTIMIZERS]
EACH = pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=NAMES)


def mlp(n: int) -> Any:
    return FIRST(n, 6, 8) >> RELU(n, 8) >> LIN(n, 8, 4)


def without_flat_step(model: Any) -> Any:
    """The same model, whose step does not claim the bits of a flat step: it is stepped part by part."""
    return dataclasses.replace(model, step=functools.partial(model.step))


@EACH
@settings(max_examples=20)
@given(layers=lists_of_layers(), seed=seeds)
def test_flat_steps_have_the_bits_of_steps_part_by_part(optimizer: Any, layers: list[Any], seed: int) -> None:
    """L39, over a few steps of whole training; also with parameters that are no views at all."""
    model: Any = Seq(*layers)
    n, c = model.info.gives.shape
    if n == 0:
        return
    p, loss = model.init(Key(seed)), CE(n, c)
    variants = [model, without_flat_step(model), dataclasses.replace(without_flat_step(model), view=None)]
    runs = [Train.new(variant, optimizer, p) for variant in variants]
    assert [run.flat is None for run in runs] == [False, False, True]
    for t in range(4):
        x, target = numbers(seed + t, *model.info.takes.shape), labels(seed + t, n, c)
        losses = [run.step(variant, loss, x, target) for run, variant in zip(runs, variants, strict=True)]
        assert np.array_equal(losses, [losses[0]] * 3, equal_nan=True)
        for run in runs[1:]:
            assert all_same_bits(run.p, runs[0].p)
        trees = [[as_lists(getattr(run.st, name)) for name in ("m", "v") if hasattr(run.st, name)] for run in runs]
        for other in trees[1:]:
            assert all(same_bits(a, b) for x, y in zip(trees[0], other, strict=True) for a, b in zip(x, y, strict=True))


@EACH
@given(seed=seeds)
def test_the_gradient_is_zero_between_steps(optimizer: Any, seed: int) -> None:
    """L44."""
    for model in (mlp(5), without_flat_step(mlp(5))):
        train = Train.new(model, optimizer, model.init(Key(seed)))
        for t in range(3):
            assert not any(array.any() for array in as_lists(train.g))
            train.step(model, CE(5, 4), numbers(seed + t, 5, 6), labels(seed, 5, 4))
            assert not any(array.any() for array in as_lists(train.g))
            assert train.t == t + 1


@EACH
@given(seed=seeds)
def test_the_callers_parameters_are_copied(optimizer: Any, seed: int) -> None:
    for model in (mlp(3), dataclasses.replace(mlp(3), view=None)):
        p = model.init(Key(seed))
        before = snapshot(p)
        train = Train.new(model, optimizer, p)
        assert all_same_bits(train.p, p)
        train.step(model, CE(3, 4), numbers(seed, 3, 6), labels(seed, 3, 4))
        assert all_same_bits(p, before)
        assert not all_same_bits(train.p, before)


@EACH
def test_training_lowers_the_loss(optimizer: Any) -> None:
    model, x = mlp(32), numbers(0, 32, 6)
    target = x[:, :4].argmax(axis=1)
    train = Train.new(model, optimizer, model.init(Key(2)))
    losses = [train.step(model, CE(32, 4), x, target) for _ in range(100)]
    assert losses[-1] < 0.7 * losses[0]
    assert train.loss == losses[-1]
    assert train.t == 100


@EACH
@settings(max_examples=10)
@given(seed=seeds)
def test_against_float64(optimizer: Any, seed: int) -> None:
    """A linear model's loss and parameters over 10 steps, against the same training in float64."""
    n, i, c = 6, 4, 3
    model: Any = LIN(n, i, c)
    train = Train.new(model, optimizer, model.init(Key(seed)))
    weights = [array.astype(np.float64) for array in as_lists(train.p)]
    moments = [(np.zeros(w.shape), np.zeros(w.shape)) for w in weights]
    config = dataclasses.asdict(optimizer)
    # A packed moment is rounded to 8 bits, so a step is off by a part in 256: here 10 steps of 0.01.
    loosely = 1e-2 * 10 / 2**7 if isinstance(optimizer, PackedAdamW) else 2e-4
    for t in range(1, 11):
        x, target = numbers(seed + t, n, i), labels(seed + t, n, c)
        wide = x.astype(np.float64)
        loss, dy = references.cross_entropy(wide @ weights[0].T + weights[1], target)
        gradients = [dy.T @ wide, dy.sum(axis=0, keepdims=True)]
        for place, gradient in enumerate(gradients):
            kind = type(optimizer).__name__
            w, m, v = references.optimizer_step(kind, t, weights[place], gradient, *moments[place], **config)
            weights[place], moments[place] = w, (m, v)
        assert train.step(model, CE(n, c), x, target) == pytest.approx(loss, rel=1e-4, abs=loosely)
    for actual, exact in zip(as_lists(train.p), weights, strict=True):
        assert np.allclose(actual, exact, rtol=1e-3, atol=loosely)


@given(seed=seeds)
def test_the_last_short_batch_shares_the_state(seed: int) -> None:
    """Models for other numbers of rows train the same parameters."""
    full, short = mlp(5), mlp(2)
    train = Train.new(full, Adam(), full.init(Key(seed)))
    train.step(full, CE(5, 4), numbers(seed, 5, 6), labels(seed, 5, 4))
    after = snapshot(train.p)
    train.step(short, CE(2, 4), numbers(seed, 2, 6), labels(seed, 2, 4))
    assert train.t == 2
    assert not all_same_bits(train.p, after)


@EACH
@given(seed=seeds)
def test_collecting_gradients_before_a_step(optimizer: Any, seed: int) -> None:
    """`apply` steps with what was collected: two halves have the gradient of the whole, up to rounding."""
    model, half = mlp(8), mlp(4)
    p, x, target = model.init(Key(seed)), numbers(seed, 8, 6), labels(seed, 8, 4)
    train = Train.new(model, SGD(0.5), p)
    for part in (slice(0, 4), slice(4, 8)):
        forward = half.fwd(train.p, x[part])
        half.bwd(train.p, forward.s, CE(4, 4).grad(forward.y, target[part]).dy * np.float32(0.5), train.g)
    train.apply(model)
    whole = Train.new(model, SGD(0.5), p)
    whole.step(model, CE(8, 4), x, target)
    for a, b in zip(as_lists(train.p), as_lists(whole.p), strict=True):
        assert np.allclose(a, b, rtol=1e-5, atol=1e-6)


def scale(c: int, step: Any = None) -> Any:
    """y = x · w column by column, in plain numpy, maybe with a step of its own."""

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        g += (dy * s).sum(axis=0, keepdims=True)
        return Bwd(dy * p, g)

    layer: Any = make_layer(MATRIX(1, c), lambda p, x: Fwd(x * p, x), bwd)
    return layer if step is None else dataclasses.replace(layer, step=step)


@pytest.mark.parametrize("place", ["alone", "first", "last"])
@given(seed=seeds)
def test_a_step_of_ones_own_is_honoured(place: str, seed: int) -> None:
    """Here it clears the gradient and sets every weight to the step's rate."""
    seen: list[float] = []

    def own_step(opt: Any, p: Any, g: Any, state: Any) -> Any:
        seen.append(float(np.abs(g).sum()))
        p[...] = opt.lr
        g[...] = 0
        return Step(p, g, state)

    n, c = 3, 4
    own = scale(c, own_step)
    model = {"alone": own, "first": own >> NB(n, c, c), "last": NB(n, c, c) >> own}[place]
    train = Train.new(model, SGD(0.25), random_like(model, seed))
    train.step(model, CE(n, c), numbers(seed, n, c), labels(seed, n, c))
    p = {"alone": (train.p,), "first": train.p, "last": train.p}[place]
    mine = p[-1] if place == "last" else p[0]
    assert np.all(mine == 0.25)
    assert seen[0] > 0
    if place != "alone":
        other = p[0] if place == "last" else p[1]
        assert not np.all(other == 0.25)
    assert not any(array.any() for array in as_lists(train.g))


@given(seed=seeds)
def test_a_step_that_returns_new_arrays_is_honoured(seed: int) -> None:
    def own_step(opt: Any, p: Any, g: Any, state: Any) -> Any:
        return Step(p - np.float32(opt.lr) * g, np.zeros_like(g), state)

    model: Any = scale(4, own_step)
    plain: Any = scale(4)
    runs = [Train.new(each, SGD(0.25), random_like(plain, seed)) for each in (model, plain)]
    for t in range(3):
        for run, each in zip(runs, (model, plain), strict=True):
            run.step(each, CE(3, 4), numbers(seed + t, 3, 4), labels(seed, 3, 4))
    assert np.allclose(runs[0].p, runs[1].p, rtol=1e-6)


@given(seed=seeds)
def test_a_backward_pass_that_returns_a_new_gradient_is_not_ignored(seed: int) -> None:
    """The contract says that bwd adds into the gradient it is given.

    Whoever returns another one must still not train silently with zeros: the step uses it, or says what is wrong.
    """

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        return Bwd(dy * p, g + (dy * s).sum(axis=0, keepdims=True))

    model: Any = make_layer(MATRIX(1, 4), lambda p, x: Fwd(x * p, x), bwd)
    train = Train.new(model, SGD(0.25), random_like(model, seed))
    before = snapshot(train.p)
    try:
        train.step(model, CE(3, 4), numbers(seed, 3, 4), labels(seed, 3, 4))
    except Exception as problem:
        assert "gradient" in str(problem)  # noqa: PT017  both ways are right
    else:
        assert not all_same_bits(train.p, before)


@given(data=st.data())
def test_a_refused_batch_changes_nothing(data: Any) -> None:
    model = mlp(3)
    train = Train.new(model, Adam(), model.init(Key(0)))
    before = snapshot((train.p, train.g))
    x, target = numbers(0, 3, 6), labels(0, 3, 4)
    refused = [(x[:2], target), (x.astype(np.float64), target), (x, target + 9), (x, target[:2])]
    wrong = data.draw(st.sampled_from(refused))
    with pytest.raises((ShapeError, TypeError, IndexError)):
        train.step(model, CE(3, 4), *wrong)
    assert all_same_bits((train.p, train.g), before)
    assert train.t == 0
