"""Dropout: the mask as a function of (seed, step, index), evaluation, training and its count (L65)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import SGD, AdamW, CrossEntropy, Dropout, Key, Linear, Momentum, Train, load_params, save_params
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.layer.counter import new_counter
from bendtorch.optim.state import NoMoments, new_state
from tests.support.arrays import LAYOUTS, numbers, same_bits
from tests.support.sizes import rows, seeds, widths
from tests.support.threads import at_every_count

probabilities = st.floats(0, 1, width=32)
layer: Any = Dropout


def passes(n: int, c: int, p: float, seed: int, count: int, x: Any, dy: Any) -> tuple[Any, Any]:
    """y and dx."""
    drop = layer(n, c, p, seed)
    counter = new_counter(count)
    forward = drop.fwd(counter, x)
    return forward.y, drop.bwd(counter, forward.s, dy, drop.zeros()).dx


@given(n=rows, c=widths, p=st.floats(0, 0.99), seed=seeds, count=seeds)
def test_both_passes_use_the_same_mask(n: int, c: int, p: float, seed: int, count: int) -> None:
    """y and dx are x and dy times factors of 0 or 1 / (1 - p)."""
    x, dy = numbers(1, n, c), numbers(2, n, c)
    mask, _ = passes(n, c, p, seed, count, np.ones((n, c), np.float32), dy)
    assert set(mask.reshape(-1).tolist()) <= {0.0, float(np.float32(1) / (np.float32(1) - np.float32(p)))}
    y, dx = passes(n, c, p, seed, count, x, dy)
    assert same_bits(y, x * mask)
    assert same_bits(dx, dy * mask)


@given(n=rows, c=widths, seed=seeds, count=seeds)
def test_no_probability_and_evaluation_are_the_identity(n: int, c: int, seed: int, count: int) -> None:
    x, dy = numbers(1, n, c), numbers(2, n, c)
    y, dx = passes(n, c, 0, seed, count, x, dy)
    assert same_bits(y, x)
    assert same_bits(dx, dy)
    evaluated = layer(n, c, 0.7, seed).eval()
    forward = evaluated.fwd(new_counter(count), x)
    assert same_bits(forward.y, x)
    assert same_bits(evaluated.bwd(new_counter(count), forward.s, dy, evaluated.zeros()).dx, dy)


@given(n=rows, c=widths, seed=seeds, count=seeds)
def test_certain_loss_gives_zeros(n: int, c: int, seed: int, count: int) -> None:
    x = np.abs(numbers(1, n, c))
    y, dx = passes(n, c, 1, seed, count, x, x)
    assert not y.any()
    assert not dx.any()
    assert np.isfinite(y).all()


def test_the_kept_fraction_and_mean() -> None:
    """Over a million numbers each is within five standard deviations."""
    ones = np.ones((1000, 1000), np.float32)
    for p in (0.1, 0.5, 0.9):
        y, _ = passes(1000, 1000, p, 3, 4, ones, ones)
        bound = 5 * np.sqrt(p * (1 - p) / ones.size)
        assert abs(np.count_nonzero(y) / ones.size - (1 - p)) < bound
        assert abs(y.mean(dtype=np.float64) - 1) < bound / (1 - p)


def test_masks_of_steps_and_seeds_are_independent() -> None:
    """Two masks agree in about half of the places at p = 1/2."""
    ones = np.ones((100, 1000), np.float32)
    first = passes(100, 1000, 0.5, 1, 0, ones, ones)[0]
    for seed, count in ((1, 1), (2, 0), (2, 1), (1, 2**32 - 1)):
        agreeing = np.mean(first == passes(100, 1000, 0.5, seed, count, ones, ones)[0])
        assert abs(agreeing - 0.5) < 0.01


def test_what_is_dropped_is_multiplied_by_zero() -> None:
    """NaN and infinities do not vanish, as in PyTorch."""
    x = np.array([[np.nan, np.inf, -np.inf, -2, 0]], np.float32)
    with np.errstate(invalid="ignore"):
        expected = x * np.float32(0)
        assert same_bits(passes(1, 5, 1, 0, 0, x, x)[0], expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_in_memory(layout: Any) -> None:
    x = numbers(5, 6, 7)
    y, dx = passes(6, 7, 0.4, 1, 2, x, x)
    again = passes(6, 7, 0.4, 1, 2, LAYOUTS[layout](x), LAYOUTS[layout](x))
    assert same_bits(y, again[0])
    assert same_bits(dx, again[1])


def test_any_number_of_threads_gives_the_same_bits() -> None:
    x = numbers(5, 300, 501)
    results = at_every_count(lambda: passes(300, 501, 0.4, 1, 2, x, x))
    assert all(same_bits(y, results[0][0]) and same_bits(dx, results[0][1]) for y, dx in results)


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan"), float("inf"), True, "0.1", None])
def test_impossible_probabilities_are_refused(p: Any) -> None:
    with pytest.raises(ConfigError, match="p is the probability to drop a number, from 0 to 1, got"):
        layer(2, 3, p, 0)


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, True, None])
def test_impossible_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(ConfigError, match=r"seed must be an int from 0 to 2\^32 - 1, got"):
        layer(2, 3, 0.1, seed)


def test_wrong_arrays_are_refused() -> None:
    drop: Any = layer(2, 3, 0.1, 0)
    with pytest.raises(ShapeError, match=r"Dropout\(2, 3, p=0.1, seed=0\): x must be Mat\[2, 3\]"):
        drop.fwd(drop.zeros(), numbers(1, 3, 2))
    with pytest.raises(DtypeError, match="x must be float32"):
        drop.fwd(drop.zeros(), np.zeros((2, 3)))
    with pytest.raises(DtypeError, match="counter must be a writable uint32 array"):
        drop.fwd(np.zeros((1, 1), np.float32), numbers(1, 2, 3))
    with pytest.raises(ShapeError, match="size c must be at least 1"):
        layer(2, 0, 0.1, 0)


def model(n: int = 4) -> Any:
    """A model with dropout in the middle and at the end."""
    built: Any = Linear(n, 3, 5) >> layer(n, 5, 0.5, 1) >> Linear(n, 5, 2) >> layer(n, 2, 0.25, 2)
    return built


@pytest.mark.parametrize("optimizer", [SGD(0.1), Momentum(0.1), AdamW(0.01, weight_decay=0.5)])
def test_training_has_the_bits_of_stepping_each_part(optimizer: Any) -> None:
    """L39: the weights between the counters are stepped in stretches; the counters advance, and are not decayed."""
    net, loss = model(), CrossEntropy(4, 2)
    state = Train.new(net, optimizer, net.init(Key(1)))
    assert state.flat is not None
    assert state.flat.counters == (20, 33)
    p, g, st = net.init(Key(1)), net.zeros(), new_state(optimizer, net.zeros, net.count())
    labels = np.array([0, 1, 1, 0])
    for t in range(1, 6):
        x = numbers(t, 4, 3)
        state.step(net, loss, x, labels)
        forward = net.fwd(p, x)
        stepped = net.step(optimizer.at(t), p, net.bwd(p, forward.s, loss.grad(forward.y, labels).dy, g).g, st)
        p, g, st = stepped.p, stepped.g, stepped.st
        assert same_bits(net.dump(state.p), net.dump(p))
        assert net.dump(p).view(np.uint32)[[20, 33]].tolist() == [t, t]


def test_the_count_is_saved_with_the_weights(tmp_path: Any) -> None:
    net = model()
    p = net.init(Key(2))
    for _ in range(3):
        p = net.step(SGD(0.1).at(1), p, net.zeros(), NoMoments()).p
    save_params(tmp_path / "model.safetensors", net, p)
    again = load_params(tmp_path / "model.safetensors", net)
    assert same_bits(net.dump(again), net.dump(p))
    x = numbers(3, 4, 3)
    assert same_bits(net.fwd(again, x).y, net.fwd(p, x).y)
