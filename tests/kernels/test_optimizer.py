"""The optimizers' kernels: PyTorch's operations in its order, each rounded once, over several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels.optimizer import CHUNK, adam, adam_packed, adam_packed_first, momentum, sgd
from tests.support.arrays import numbers, same_bits
from tests.support.bfloat16 import rounded, widened
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

SGD: Any = sgd
MOMENTUM: Any = momentum
ADAM: Any = adam
PACKED: Any = adam_packed
PACKED_FIRST: Any = adam_packed_first
F = np.float32

sizes = st.sampled_from([0, 1, 7, 64, *([CHUNK - 1, CHUNK, 2 * CHUNK + 5] if shrunk(1, 0) else [])])
rates = st.floats(0, 1, width=32)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a·b + c rounded once to float32: the product of two float32 is exact in float64."""
    return (np.float64(a) * np.float64(b) + np.float64(c)).astype(F)


def chunks(size: int) -> Any:
    """All of a buffer, with the first row of numbers."""
    rows = [(low, min(low + CHUNK, size), 0) for low in range(0, size, CHUNK)]
    return np.array(rows, np.int64).reshape(-1, 3)


def row(*values: float) -> Any:
    return np.array([values], F)


def decayed(decay: float, w: Any, g: Any) -> Any:
    return fma(F(decay), w, g) if F(decay) else g


@given(size=sizes, seed=seeds, lr=rates, decay=rates)
def test_sgd(size: int, seed: int, lr: float, decay: float) -> None:
    w, g = numbers(seed, size), numbers(seed + 1, size)
    expected = fma(-F(lr), decayed(decay, w, g), w)
    SGD(w, g, chunks(size), row(lr, decay))
    assert same_bits(w, expected)
    assert same_bits(g, np.zeros(size, F))


@pytest.mark.parametrize("nesterov", [0, 1])
@given(size=sizes, seed=seeds, lr=rates, mu=rates, decay=rates)
def test_momentum(nesterov: int, size: int, seed: int, lr: float, mu: float, decay: float) -> None:
    w, g, m = numbers(seed, size), numbers(seed + 1, size), numbers(seed + 2, size)
    gradient = decayed(decay, w, g)
    expected_m = m * F(mu) + gradient
    expected_w = fma(-F(lr), fma(F(mu), expected_m, gradient) if nesterov else expected_m, w)
    MOMENTUM(w, g, m, chunks(size), row(lr, decay, mu, nesterov))
    assert same_bits(m, expected_m)
    assert same_bits(w, expected_w)
    assert same_bits(g, np.zeros(size, F))


def adam_row(lr: float, decay: float, decoupled: bool) -> Any:
    """(kept, decay, beta2, c1, c2, step, denominator, eps) of some step."""
    kept, added = (1 - lr * decay, 0.0) if decoupled else (1.0, decay)
    return row(kept, added, 0.999, 0.1, 0.001, lr / 0.19, np.sqrt(0.002), 1e-8)


def moved(w: Any, mean: Any, square: Any, n: Any) -> Any:
    """The new weights."""
    return w * n[0] + (-n[5] * mean) / (np.sqrt(square) / n[6] + n[7])


@pytest.mark.parametrize("decoupled", [False, True])
@given(size=sizes, seed=seeds, lr=st.floats(1e-4, 1), decay=st.floats(0, 1))
def test_adam(decoupled: bool, size: int, seed: int, lr: float, decay: float) -> None:
    w, g, m, v = numbers(seed, size), numbers(seed + 1, size), numbers(seed + 2, size), numbers(seed + 3, size) ** 2
    table = adam_row(lr, decay, decoupled)
    n = table[0]
    gradient = decayed(n[1], w, g)
    mean = fma(n[3], gradient - m, m)
    square = fma(n[4] * gradient, gradient, v * n[2])
    expected = moved(w, mean, square, n)
    ADAM(w, g, m, v, chunks(size), table)
    assert same_bits(m, mean)
    assert same_bits(v, square)
    assert np.array_equal(w, expected)
    assert not g.any()


@pytest.mark.parametrize("both", [False, True])
@given(size=sizes, seed=seeds, lr=st.floats(1e-4, 1), decay=st.floats(0, 1))
def test_packed_moments_are_the_wide_ones_rounded(both: bool, size: int, seed: int, lr: float, decay: float) -> None:
    """L50: a step has the bits of the wide step from the same moments, rounded; the weights see them rounded."""
    w, g = numbers(seed, size), numbers(seed + 1, size)
    table = adam_row(lr, decay, True)
    m = (rounded(numbers(seed + 2, size)).view(np.uint32) >> 16).astype(np.uint16)
    v: Any = (numbers(seed + 3, size) ** 2).astype(F)
    if both:
        v = (rounded(v).view(np.uint32) >> 16).astype(np.uint16)
    wide_m, wide_v = widened(m), widened(v) if both else v.copy()
    ADAM(w.copy(), g.copy(), wide_m, wide_v, chunks(size), table)
    mean, square = rounded(wide_m), rounded(wide_v) if both else wide_v
    expected = moved(w, mean, square, table[0])
    (PACKED if both else PACKED_FIRST)(w, g, m, v, chunks(size), table)
    assert same_bits(widened(m), mean)
    assert same_bits(widened(v) if both else v, square)
    assert np.array_equal(w, expected)
    assert not g.any()


def test_nan_is_packed_as_ones() -> None:
    w, g = numbers(0, 4), np.array([np.nan, np.inf, 1, 0], F)
    m, v = np.zeros(4, np.uint16), np.zeros(4, np.uint16)
    with np.errstate(all="ignore"):
        PACKED(w, g, m, v, chunks(4), adam_row(0.1, 0, True))
    assert m[0] == v[0] == 0xFFFF
    assert v[1] == 0x7F80
    assert np.isnan(w[:2]).all()
    assert np.isfinite(w[2:]).all()


@given(seed=seeds)
def test_each_chunk_has_its_own_numbers_and_the_rest_is_left_alone(seed: int) -> None:
    w, g = numbers(seed, 10), numbers(seed + 1, 10)
    before, gradient = w.copy(), g.copy()
    table = np.array([[1, 0], [0, 0], [2, 0]], F)
    SGD(w, g, np.array([[0, 3, 0], [4, 6, 2], [7, 8, 1]], np.int64), table)
    for place in range(10):
        rate = {0: 1, 1: 1, 2: 1, 4: 2, 5: 2, 7: 0}.get(place)
        assert w[place] == (before[place] if rate is None else fma(-F(rate), gradient[place], before[place]))
        assert g[place] == (gradient[place] if rate is None else 0)


@settings(max_examples=3)
@given(seed=seeds)
def test_bits_do_not_depend_on_threads(seed: int) -> None:
    size = shrunk(5 * CHUNK + 3, 50)

    def compute() -> list[Any]:
        w, g, m, v = (numbers(seed + i, size) for i in range(4))
        v = v * v
        m16, v16 = np.zeros(size, np.uint16), np.zeros(size, np.uint16)
        table = adam_row(1e-3, 0.1, True)
        ADAM(w, g, m, v, chunks(size), table)
        g[:] = w
        MOMENTUM(w, g, m, chunks(size), row(0.1, 0, 0.9, 0))
        g[:] = m
        SGD(w, g, chunks(size), row(0.1, 0))
        g[:] = w
        PACKED(w, g, m16, v16, chunks(size), table)
        g[:] = w
        PACKED_FIRST(w, g, m16, v, chunks(size), table)
        return [w, g, m, v, m16, v16]

    first, *others = at_every_count(compute)
    assert all(same_bits(a, b) for other in others for a, b in zip(first, other, strict=True))


LEAST = np.finfo(F).tiny


def halves(x: Any) -> Any:
    """Numbers as they are packed."""
    return (rounded(x).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("kernel", [ADAM, PACKED_FIRST, PACKED])
def test_a_first_moment_below_the_normal_numbers_is_forgotten(kernel: Any) -> None:
    m, v = np.array([LEAST, LEAST / 2, -LEAST, -LEAST / 2, np.nan], F), np.ones(5, F)
    w, g = np.ones(5, F), np.zeros(5, F)
    first, second = m if kernel is ADAM else halves(m), halves(v) if kernel is PACKED else v
    kernel(w, g, first, second, chunks(5), row(1, 0, 1, 0.25, 0, 0, 1, 1))
    left = first if kernel is ADAM else widened(first)
    assert same_bits(left[:4], np.array([0.75 * LEAST, 0, -0.75 * LEAST, 0], F))
    assert np.isnan(left[4])


@pytest.mark.parametrize(("size", "left"), [(LEAST, 0.75 * LEAST), (LEAST / 2, 0)])
def test_so_is_momentum(size: float, left: float) -> None:
    w, g, m = np.ones(2, F), np.zeros(2, F), np.array([size, -size], F)
    MOMENTUM(w, g, m, chunks(2), row(0, 0, 0.75, 0))
    assert same_bits(np.abs(m), np.full(2, left, F))
