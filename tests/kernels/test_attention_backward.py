"""Attention's backward kernel: queries that stand somewhere among more keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from bendtorch.kernels.attention_backward import attention_backward
from bendtorch.kernels.attention_forward import Inputs
from bendtorch.kernels.attention_grid import Heads
from tests.support.arrays import numbers
from tests.support.sizes import seeds


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
