"""Steps of a matrix and of a flat buffer, against float64 over many steps."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.optim import SGD, Adam, AdamW, Momentum
from bendtorch.optim.state import map_state, new_state
from bendtorch.optim.step import step_flat, step_matrix
from tests.support.arrays import LAYOUTS, numbers, same_bits
from tests.support.params import OPTIMIZERS, as_lists_of_state
from tests.support.references import optimizer_step
from tests.support.sizes import seeds, widths

OPTIMIZER_LIST: list[Any] = [
    SGD(0.05),
    Momentum(0.05, 0.9),
    SGD(0.05, weight_decay=0.1),
    Momentum(0.05, 0.9, weight_decay=0.1, nesterov=True),
    Adam(1e-2),
    Adam(1e-2, weight_decay=0.1),
    Adam(1e-2, beta1=0.0, beta2=0.0, eps=1e-3),
    AdamW(1e-2, weight_decay=0.1),
]
NAMES = ["sgd", "momentum", "sgd-decay", "nesterov", "adam", "adam-decay", "adam-no-betas", "adamw"]
KINDS = pytest.mark.parametrize("optimizer", OPTIMIZER_LIST, ids=NAMES)


@KINDS
@given(count=st.integers(0, 40), seed=seeds)
def test_many_steps_against_float64(optimizer: Any, count: int, seed: int) -> None:
    """40 steps; every step rounds a few times, so the weights are within 40 · 8 roundings of their magnitude."""
    w, g = numbers(seed, count), np.zeros(count, np.float32)
    state = new_state(optimizer, lambda: np.zeros(count, np.float32))
    exact, m, v = w.astype(np.float64), np.zeros(count), np.zeros(count)
    config = dataclasses.asdict(optimizer)
    for t in range(1, 41):
        g[:] = numbers(seed + t, count)
        step_args = (exact, g.astype(np.float64), m, v)
        exact, m, v = optimizer_step(type(optimizer).__name__, t, *step_args, **config)
        step_flat(optimizer.at(t), w, g, state)
        assert not g.any()
    tolerance = 40 * 8 * 2.0**-24 * (1 + np.abs(exact))
    assert np.all(np.abs(w - exact) <= tolerance)


@KINDS
@given(rows=widths, columns=widths, seed=seeds)
def test_a_matrix_is_stepped_as_a_flat_buffer(optimizer: Any, rows: int, columns: int, seed: int) -> None:
    w, g = numbers(seed, rows, columns), numbers(seed + 1, rows, columns)
    flat_w, flat_g = w.reshape(-1).copy(), g.reshape(-1).copy()
    state: Any = new_state(optimizer, lambda: np.zeros((rows, columns), np.float32))
    flat_state: Any = map_state(state, lambda a: a.reshape(-1).copy())
    for t in (1, 2, 3):
        step_matrix(optimizer.at(t), w, g, state)
        step_flat(optimizer.at(t), flat_w, flat_g, flat_state)
        g[...] = 1
        flat_g[...] = 1
    assert same_bits(w.reshape(-1), flat_w)
    assert as_lists_of_state(state) == as_lists_of_state(flat_state)


@given(count=st.integers(0, 40), seed=seeds, lr=st.floats(0, 1))
def test_a_zero_gradient(count: int, seed: int, lr: float) -> None:
    """L40: SGD changes nothing; AdamW decays by 1 - lr · weight_decay, rounded once."""
    w, g = numbers(seed, count), np.zeros(count, np.float32)
    before = w.copy()
    step_flat(SGD(lr).at(1), w, g, new_state(SGD(lr), lambda: g))
    assert np.array_equal(w, before)
    decaying = AdamW(lr, weight_decay=0.5)
    state: Any = new_state(decaying, lambda: np.zeros(count, np.float32))
    step_flat(decaying.at(1), w, g, state)
    assert np.array_equal(w, before * np.float32(1 - lr * 0.5))


@given(count=st.integers(1, 40), seed=seeds)
def test_the_first_step_of_adam(count: int, seed: int) -> None:
    """L41: -lr · g / (|g| + eps)."""
    w, g = np.zeros(count, np.float32), numbers(seed, count)
    exact = -1e-2 * g.astype(np.float64) / (np.abs(g.astype(np.float64)) + 1e-8)
    optimizer = Adam(1e-2)
    state: Any = new_state(optimizer, lambda: np.zeros(count, np.float32))
    step_flat(optimizer.at(1), w, g, state)
    assert np.all(np.abs(w - exact) <= 8 * 2.0**-24 * np.abs(exact))


@given(seed=seeds)
def test_nan_and_infinity_do_not_vanish(seed: int) -> None:
    for optimizer in OPTIMIZERS:
        w, g = numbers(seed, 8), numbers(seed + 1, 8)
        g[3], g[5] = np.nan, np.inf
        state: Any = new_state(optimizer, lambda: np.zeros(8, np.float32), 8)
        with np.errstate(all="ignore"):
            step_flat(optimizer.at(1), w, g, state)
        assert np.isnan(w[3])
        assert not np.isfinite(w[5])
        assert np.all(np.isfinite(np.delete(w, [3, 5])))
        assert not g.any()


def test_the_state_of_another_optimizer_is_refused_and_nothing_is_changed() -> None:
    for made_for in OPTIMIZERS:
        state: Any = new_state(made_for, lambda: np.zeros(4, np.float32), 4)
        for optimizer in OPTIMIZERS:
            adams = isinstance(optimizer, Adam) and isinstance(made_for, Adam)  # Adam's numbers step either state
            if adams or type(state) is type(new_state(optimizer, lambda: None, 4)):
                continue
            w, g = numbers(0, 4), numbers(1, 4)
            with pytest.raises(ConfigError, match=r"was given a state of \w+, made for another optimizer"):
                step_flat(optimizer.at(1), w, g, state)
            assert same_bits(w, numbers(0, 4))
            assert same_bits(g, numbers(1, 4))


@pytest.mark.parametrize("place", ["weights", "gradient", "moment"])
@pytest.mark.parametrize("change", ["read-only", "fortran", "sliced", "unaligned", "float64", "size"])
def test_arrays_that_do_not_fit_are_refused(place: str, change: str) -> None:
    made = {"weights": numbers(0, 3, 4), "gradient": numbers(1, 3, 4), "moment": np.zeros((3, 4), np.float32)}
    array = made[place]
    changes: dict[str, Any] = {"float64": array.astype(np.float64), "size": numbers(0, 3, 5)}
    made[place] = changes[change] if change in changes else LAYOUTS[change](array)
    if (place, change) == ("weights", "size"):
        place = "gradient"  # the weights are what the others are measured by
    optimizer = Momentum(0.1)
    with pytest.raises(ShapeError, match=rf"^step: (the|a) {place} must be \d+ writable float32 numbers in C order"):
        step_matrix(optimizer.at(1), made["weights"], made["gradient"], new_state(optimizer, lambda: made["moment"]))


def test_arrays_from_another_process_are_stepped() -> None:
    """A pickled array's dtype is equal to float32, but not the same object."""
    optimizer = Adam()
    w, g = numbers(0, 3, 4), numbers(1, 3, 4)
    state: Any = new_state(optimizer, lambda: np.zeros((3, 4), np.float32))
    pickled = LAYOUTS["pickled"]
    w2: Any = pickled(w)
    step_matrix(optimizer.at(1), w2, pickled(g), map_state(state, pickled))
    step_matrix(optimizer.at(1), w, g, state)
    assert same_bits(w, w2)


@KINDS
def test_buffers_of_another_length_are_refused(optimizer: Any) -> None:
    """The kernels read by index: a short gradient or moment would be read beyond its end (here, inside of a longer)."""

    def buffer(count: int) -> Any:
        return np.zeros(64, np.float32)[:count]

    w, right, short = numbers(0, 8), new_state(optimizer, lambda: buffer(8)), new_state(optimizer, lambda: buffer(4))
    with pytest.raises(ShapeError):
        step_flat(optimizer.at(1), w, buffer(4), right)
    if as_lists_of_state(short):
        with pytest.raises(ShapeError):
            step_flat(optimizer.at(1), w, buffer(8), short)
    assert same_bits(w, numbers(0, 8))


@pytest.mark.parametrize("place", ["weights", "gradient", "moment"])
@pytest.mark.parametrize("change", ["read-only", "sliced", "unaligned", "float64", "two axes"])
def test_flat_buffers_that_do_not_fit_are_refused(place: str, change: str) -> None:
    made: dict[str, Any] = {"weights": numbers(0, 8), "gradient": numbers(1, 8), "moment": np.zeros(8, np.float32)}
    array = made[place]
    frozen = array.copy()
    frozen.flags.writeable = False
    changes: dict[str, Any] = {
        "read-only": frozen,
        "sliced": np.repeat(array, 2)[::2],
        "unaligned": np.zeros(33, np.uint8)[1:].view(np.float32),
        "float64": array.astype(np.float64),
        "two axes": array.reshape(2, 4),
    }
    made[place] = changes[change]
    before, optimizer = made["weights"].copy(), Momentum(0.1)
    state = new_state(optimizer, lambda: made["moment"])
    with pytest.raises(ShapeError, match=rf"^step: (the|a) {place} must be "):
        step_flat(optimizer.at(1), made["weights"], made["gradient"], state)
    assert same_bits(made["weights"], before)


@pytest.mark.parametrize("span", [(-1, 4, 0), (0, 9, 0), (5, 4, 0), (0, 8, 1), (0, 8, -1)])
def test_spans_outside_of_the_buffer_are_refused(span: Any) -> None:
    w = numbers(0, 8)
    with pytest.raises(ShapeError, match=r"step: span \(.*\) is outside of 8 numbers and 1 groups"):
        step_flat(SGD(0.1).at(1), w, numbers(1, 8), new_state(SGD(0.1), lambda: numbers(0, 8)), (span,))
    assert same_bits(w, numbers(0, 8))
