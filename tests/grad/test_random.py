"""dropout: the mask of a key, its rate, its adjoint; the layer's mask."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import Key, grad
from bendtorch.errors import ConfigError, DtypeError
from bendtorch.kernels.dropout import dropout as kernel
from tests.support.grad import Case, Operation, check_operations, normal, seeds, shapes


def _case(shape: tuple[int, ...], p: float, seed: int) -> Case:
    g = grad.graph()
    mask = g.value(grad.dropout(g.input(np.ones(shape, np.float32)), Key(seed), p)).astype(np.float64)
    return Case(lambda x: grad.dropout(x, Key(seed), p), lambda x: x * mask, (normal(seed, shape),))


test_operation = check_operations(
    Operation("dropout", st.builds(_case, shapes, st.sampled_from([0.0, 0.25, 1.0]), seeds))
)


def test_the_mask_is_the_layers_hash_at_the_keys_bits() -> None:
    x = normal(0, (50, 40))
    g = grad.graph()
    y = g.value(grad.dropout(g.input(x), Key(3), 0.25))
    wanted = np.empty_like(x)
    word = int(Key(3).bits(1)[0]) & 0xFFFFFFFF
    kernel(x, word, math.ceil(0.25 * 2**24), np.float32(1) / np.float32(0.75), wanted)
    assert np.array_equal(y, wanted)


def test_the_key_decides() -> None:
    g = grad.graph()
    x = g.input(np.ones(10_000, np.float32))
    first, again, other = (g.value(grad.dropout(x, key, 0.25)) for key in (Key(0), Key(0), Key(1)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert abs(np.mean(first == 0) - 0.25) < 0.02
    assert set(np.unique(first).tolist()) == {0.0, float(np.float32(1) / np.float32(0.75))}


def test_what_is_dropped_stays_nan() -> None:
    g = grad.graph()
    assert np.all(np.isnan(g.value(grad.dropout(g.input(np.full(9, np.nan, np.float32)), Key(0), 1.0))))


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    for p in (-0.1, 1.1, math.nan, True):
        with pytest.raises(ConfigError, match=r"^dropout: the rate is the probability to drop an element, from 0 to 1"):
            grad.dropout(x, Key(0), p)
    with pytest.raises(ConfigError, match=r"^dropout: expected a Key, such as Key\(0\), got 3"):
        grad.dropout(x, 3, 0.5)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^dropout: expected a Var"):
        grad.dropout(normal(0, (3,)), Key(0), 0.5)
