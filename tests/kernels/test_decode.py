"""Products with one vector, and the logits of a row. A whole token is tested with the decoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.generate.cache import room_of
from bendtorch.generate.weights import Weights
from bendtorch.kernels.decode import output, product
from bendtorch.models import LlamaConfig
from tests.kernels.test_widen import STORED, stored, widened
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds
from tests.support.threads import at_every_count

CONFIG: Any = LlamaConfig


@STORED
@given(seed=seeds, rows=st.integers(1, 70), columns=st.integers(1, 70), start=st.integers(0, 4))
def test_products(kind: str, seed: int, rows: int, columns: int, start: int) -> None:
    w, x = stored(numbers(seed, start + rows * columns), kind), numbers(seed + 1, columns)
    out = np.full(rows, np.nan, np.float32)
    product(w, start, x, out)
    terms = widened(w[start:]).reshape(rows, columns).astype(np.float64) * x
    assert np.all(np.abs(out - terms.sum(axis=1)) <= 2e-6 * np.abs(terms).sum(axis=1))


@STORED
def test_the_same_bits_at_any_number_of_threads(kind: str) -> None:
    w, x = stored(numbers(0, 700 * 90), kind), numbers(1, 90)

    def once() -> Any:
        out = np.empty(700, np.float32)
        product(w, 0, x, out)
        return out

    first, *others = at_every_count(once)
    assert all(same_bits(first, other) for other in others)


@pytest.mark.parametrize("is_tied", [True, False])
def test_the_logits_of_a_row(is_tied: bool) -> None:
    config = CONFIG(13, 6, 1, 1, 2, 5, 2, tied=is_tied)
    flat = numbers(0, config.count())
    weights, room = Weights.stored(config, flat, "float32"), room_of(config, np.empty((1, 8), np.float32))
    room.x[:] = numbers(1, 1, 6)
    output(weights.cells, weights.gains, weights.layout, 1e-5, room)
    x, (gain, head) = room.x[0].astype(np.float64), _ends(flat.astype(np.float64), is_tied)
    exact = head.reshape(13, 6) @ (x / np.sqrt((x * x).mean() + 1e-5) * gain)
    assert np.abs(room.logits - exact).max() <= 2e-6 * np.abs(exact).max()


def _ends(flat: Any, is_tied: bool) -> tuple[Any, Any]:
    """The last norm's gain, and the output's weight."""
    return (flat[-6:], flat[: 13 * 6]) if is_tied else (flat[-14 * 6 : -13 * 6], flat[-13 * 6 :])
