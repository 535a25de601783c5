"""Dropout's hash and mask, against whole-number arithmetic in Python."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.compile import kernel
from bendtorch.kernels.dropout import CHUNK, dropout, mask_key, mix
from tests.support.threads import at_every_count

words = st.integers(0, 2**32 - 1)


def mixed(x: int) -> int:
    """lowbias32 as its author gives it: 16, 0x7feb352d, 15, 0x846ca68b, 16."""
    x ^= x >> 16
    x = x * 0x7FEB352D % 2**32
    x ^= x >> 15
    x = x * 0x846CA68B % 2**32
    return x ^ (x >> 16)


@kernel
def run_mix(x: int) -> int:
    return int(mix(np.uint32(x)))


@given(x=words)
def test_the_hash(x: int) -> None:
    assert run_mix(x) == mixed(x)


def test_known_values_of_the_hash() -> None:
    """0 is its fixed point; nothing else among the first numbers is."""
    assert run_mix(0) == 0
    assert len({run_mix(i) for i in range(1000)}) == 1000


@given(seed=words, step=words, p=st.floats(0, 1, width=32), count=st.integers(0, 300))
def test_the_mask(seed: int, step: int, p: float, count: int) -> None:
    key = mask_key(seed, step)
    assert key == mixed(seed ^ mixed(step))
    x = np.full((1, count), 2, np.float32)
    y = np.empty_like(x)
    dropout(x, key, math.ceil(p * 2**24), np.float32(3), y)
    fractions = [(mixed((key + i) % 2**32) >> 8) / 2**24 for i in range(count)]
    assert y[0].tolist() == [0.0 if fraction < p else 6.0 for fraction in fractions]


def test_any_number_of_threads_draws_the_same() -> None:
    x = np.ones((3, CHUNK + 5), np.float32)

    def run() -> bytes:
        y = np.empty_like(x)
        dropout(x, 2**32 - 7, 1 << 23, np.float32(2), y)
        return y.tobytes()

    results = at_every_count(run)
    assert all(result == results[0] for result in results)
