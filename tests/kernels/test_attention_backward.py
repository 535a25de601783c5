"""Attention's backward kernel: the gradient of a row of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.attention_backward import attention_backward, gradient_row
from bendtorch.kernels.attention_forward import Inputs
from bendtorch.kernels.attention_grid import Heads
from tests.support.arrays import numbers
from tests.support.sizes import seeds, shrunk

ROW: Any = gradient_row
sizes = st.sampled_from((1, 2, 7, *(shrunk(n, n % 50 + 2) for n in (64, 1025))))


def exact(x: Any, d: Any, scale: float) -> tuple[Any, Any]:
    """Softmax and its gradient in float64."""
    e = np.exp((x.astype("f8") - np.float64(x.max())) * scale)
    p = e / e.sum()
    return p, scale * p * (d - np.sum(p * d.astype("f8")))


@given(size=sizes, seed=seeds, around=st.sampled_from((0.0, 100.0, -3e4)))
def test_a_row(size: int, seed: int, around: float) -> None:
    """As exact where all gradients lie around a large number, which softmax does not see."""
    x, d = numbers(seed, size, scale=2.0), numbers(seed + 1, size) + np.float32(around)
    p, ds = exact(x, d, 0.5)
    ROW(x, d, np.float32(0.5))
    assert np.allclose(x, p, rtol=3e-6, atol=1e-12)
    deviation = np.abs(ds).sum() + np.max(0.5 * p)
    assert np.all(np.abs(d - ds) <= 1e-5 * (np.abs(ds) + p * deviation))


def test_a_sure_choice_has_no_gradient() -> None:
    x, d = np.array([0, 300, 0], np.float32), np.array([1.7, -2.3, 5.1], np.float32)
    ROW(x, d, np.float32(1))
    assert x.tolist() == [0, 1, 0]
    assert not d.any()


@given(seed=seeds)
def test_gradients_of_more_keys_than_queries(seed: int) -> None:
    """Queries with an offset: those that are not asked give as much as if they had no gradient."""
    b, queries, keys, kv, g, hd = 2, 2, 5, 1, 2, 3
    q, k, v, dy = (numbers(seed + i, b * keys, width) for i, width in enumerate((6, 3, 3, 6)))
    lengths = np.full(b, keys)
    dy.reshape(b, keys, -1)[:, : keys - queries] = 0

    def last(array: Any) -> Any:
        return np.ascontiguousarray(array.reshape(b, keys, -1)[:, keys - queries :]).reshape(b * queries, -1)

    whole = attention_backward(Inputs(q, k, v, lengths), dy, Heads(keys, keys, kv, g, hd, True, 0), 0.5)
    heads = Heads(queries, keys, kv, g, hd, True, keys - queries)
    part = attention_backward(Inputs(last(q), k, v, lengths), last(dy), heads, 0.5)
    for a, e in zip(part, (last(whole.dq), whole.dk, whole.dv), strict=True):
        assert np.allclose(a, e, rtol=1e-5, atol=1e-6)
