"""The optimizers' kernels: PyTorch's operations in its order, each rounded once, over several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels.optimizer import CHUNK, adam, momentum, sgd
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

SGD: Any = sgd
MOMENTUM: Any = momentum
ADAM: Any = adam
F = np.float32


def fma(a: Any, b: Any, c: Any) -> Any:
    """a·b + c rounded once to float32: the product of two float32 is exact in float64."""
    return (np.float64(a) * np.float64(b) + np.float64(c)).astype(F)


sizes = st.sampled_from([0, 1, 7, 64, *([CHUNK - 1, CHUNK, 2 * CHUNK + 5] if shrunk(1, 0) else [])])
rates = st.floats(0, 1, width=32)


@given(size=sizes, seed=seeds, lr=rates)
def test_sgd(size: int, seed: int, lr: float) -> None:
    w, g = numbers(seed, size), numbers(seed + 1, size)
    expected = fma(-F(lr), g, w)
    SGD(w, g, F(lr))
    assert same_bits(w, expected)
    assert same_bits(g, np.zeros(size, F))


@given(size=sizes, seed=seeds, lr=rates, mu=rates)
def test_momentum(size: int, seed: int, lr: float, mu: float) -> None:
    w, g, m = numbers(seed, size), numbers(seed + 1, size), numbers(seed + 2, size)
    expected_m = m * F(mu) + g
    expected_w = fma(-F(lr), expected_m, w)
    MOMENTUM(w, g, m, F(lr), F(mu))
    assert same_bits(m, expected_m)
    assert same_bits(w, expected_w)
    assert same_bits(g, np.zeros(size, F))


@pytest.mark.parametrize("decoupled", [False, True])
@given(size=sizes, seed=seeds, lr=st.floats(1e-4, 1), decay=st.floats(0, 1))
def test_adam(decoupled: bool, size: int, seed: int, lr: float, decay: float) -> None:
    w, g, m, v = numbers(seed, size), numbers(seed + 1, size), numbers(seed + 2, size), numbers(seed + 3, size) ** 2
    beta2, eps, step_size, denominator, c1, c2 = 0.999, 1e-8, lr / 0.19, np.sqrt(0.002), 0.1, 0.001
    gradient = g if decoupled else fma(F(decay), w, g)
    mean = fma(F(c1), gradient - m, m)
    square = fma(F(c2) * gradient, gradient, v * F(beta2))
    kept = w * F(1 - lr * decay) if decoupled else w
    expected = kept + (-F(step_size) * mean) / (np.sqrt(square) / F(denominator) + F(eps))
    ADAM(w, g, m, v, lr, beta2, eps, decay, decoupled, step_size, denominator, c1, c2)
    assert same_bits(m, mean)
    assert same_bits(v, square)
    assert np.array_equal(w, expected)
    assert not g.any()


@settings(max_examples=3)
@given(seed=seeds)
def test_bits_do_not_depend_on_threads(seed: int) -> None:
    size = shrunk(5 * CHUNK + 3, 50)

    def compute() -> list[Any]:
        w, g, m, v = (numbers(seed + i, size) for i in range(4))
        v = v * v
        ADAM(w, g, m, v, 1e-3, 0.999, 1e-8, 0.1, True, 1e-2, 0.03, 0.1, 0.001)
        g[:] = w
        MOMENTUM(w, g, m, F(0.1), F(0.9))
        g[:] = m
        SGD(w, g, F(0.1))
        return [w, g, m, v]

    first, *others = at_every_count(compute)
    assert all(same_bits(a, b) for other in others for a, b in zip(first, other, strict=True))
