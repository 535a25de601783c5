"""Counters among the parameters: kept bit for bit, advanced by a step, never touched by an optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import DtypeError
from bendtorch.layer import Leaf, counter, zeros_init
from bendtorch.layer.counter import advance, counter_cells, counter_leaf, counter_value, new_counter
from bendtorch.layer.pair import pair
from bendtorch.optim import SGD, Adam, AdamW, Momentum, Optimizer
from bendtorch.optim.state import new_state

PARAMS = counter()
counts = st.integers(0, 2**32 - 1)


@given(count=counts)
def test_dump_and_load_keep_every_bit(count: int) -> None:
    """Also the bits that are a NaN as a float."""
    p = new_counter(count)
    flat = PARAMS.dump(p)
    assert flat.dtype == np.float32
    assert flat.view(np.uint32).tolist() == [count]
    other = PARAMS.zeros()
    assert PARAMS.load(other, flat, 0) == 1
    assert counter_value(other, "here") == count


@pytest.mark.parametrize("optimizer", [SGD(0.1), Momentum(0.1), Adam(0.1), AdamW(0.1, weight_decay=0.5)])
@given(count=counts)
def test_a_step_advances_it_by_one(optimizer: Optimizer, count: int) -> None:
    p, g = new_counter(count), PARAMS.zeros()
    stepped = PARAMS.step(optimizer.at(1), p, g, new_state(optimizer, PARAMS.zeros))
    assert stepped.p is p
    assert counter_value(p, "here") == (count + 1) % 2**32
    assert counter_value(g, "here") == 0


@given(count=counts)
def test_a_view_counts_in_the_buffer(count: int) -> None:
    assert PARAMS.view is not None
    flat = np.zeros(3, np.float32)
    p = PARAMS.view(flat, 1)
    p[0, 0] = count
    advance(p)
    assert flat.view(np.uint32).tolist() == [0, (count + 1) % 2**32, 0]


def test_its_place_in_a_dump() -> None:
    weight = Leaf("weight", (2, 3), zeros_init)
    assert counter_cells([weight, counter_leaf(), weight, counter_leaf()]) == [6, 13]
    assert pair(PARAMS, PARAMS).count() == 2
    assert [leaf.stored_dtype for leaf in (weight, counter_leaf())] == ["F32", "U32"]
    assert counter_leaf().stored_shape == (1,)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(np.zeros((1, 1), np.float32), id="float"),
        pytest.param(np.zeros(1, np.uint32), id="one axis"),
        pytest.param(np.broadcast_to(np.uint32(1), (1, 1)), id="read-only"),
        pytest.param(3, id="int"),
    ],
)
def test_anything_else_is_refused(wrong: Any) -> None:
    with pytest.raises(DtypeError, match=r"must be a writable uint32 array of shape \[1, 1\], got"):
        PARAMS.dump(wrong)
    with pytest.raises(DtypeError, match=r"must be a writable uint32 array of shape \[1, 1\], got"):
        PARAMS.step(SGD(0.1).at(1), wrong, PARAMS.zeros(), new_state(SGD(0.1), PARAMS.zeros))
