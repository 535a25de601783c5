"""Attention's forward kernel: queries that stand somewhere among more keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.attention_forward import Inputs, attention_forward
from bendtorch.kernels.attention_grid import Heads
from tests.support.arrays import numbers
from tests.support.sizes import seeds


@pytest.mark.parametrize("causal", [True, False])
@given(seed=seeds, queries=st.integers(1, 5), more=st.integers(0, 4))
def test_last_queries_among_more_keys(causal: bool, seed: int, queries: int, more: int) -> None:
    """Queries with an offset have the rows that they have among all queries."""
    keys, b, kv, g, hd = queries + more, 2, 2, 2, 3
    q, k, v = (numbers(seed + i, b * keys, width) for i, width in enumerate((kv * g * hd, kv * hd, kv * hd)))
    lengths = np.full(b, keys)
    whole = attention_forward(Inputs(q, k, v, lengths), Heads(keys, keys, kv, g, hd, causal, 0), 0.5)

    def last(array: Any) -> Any:
        return np.ascontiguousarray(array.reshape(b, keys, -1)[:, more:]).reshape(b * queries, -1)

    part = attention_forward(Inputs(last(q), k, v, lengths), Heads(queries, keys, kv, g, hd, causal, more), 0.5)
    assert np.allclose(part, last(whole), rtol=1e-5, atol=1e-6)
