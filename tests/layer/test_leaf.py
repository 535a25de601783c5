"""Leaves: names, sizes, and how they start."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.keys import Key
from bendtorch.layer import Leaf, ones_init, uniform_init, zeros_init
from tests.support.sizes import seeds

sides = st.integers(1, 50)


@given(r=sides, c=sides)
def test_cells_and_stored_shape(r: int, c: int) -> None:
    assert Leaf("weight", (r, c), zeros_init).cells == r * c
    assert Leaf("weight", (r, c), zeros_init).stored_shape == (r, c)
    assert Leaf("bias", (1, c), zeros_init, vector=True).stored_shape == (c,)
    assert Leaf("weight", (r, 6 * c), zeros_init, stored=(r, c, 3, 2)).stored_shape == (r, c, 3, 2)


def test_under_a_prefix_only_the_name_changes() -> None:
    leaf = Leaf("bias", (1, 4), ones_init, vector=True)
    assert leaf.under("0").under("3") == Leaf("3.0.bias", (1, 4), ones_init, vector=True)
    assert leaf.name == "bias"


@given(count=st.integers(0, 100), seed=seeds, bound=st.floats(0.125, 8, width=32))
def test_initial_distributions(count: int, seed: int, bound: float) -> None:
    key = Key(seed)
    assert np.array_equal(zeros_init(key, count), np.zeros(count))
    assert np.array_equal(ones_init(key, count), np.ones(count))
    drawn = uniform_init(bound)(key, count)
    assert np.all((drawn >= -np.float32(bound)) & (drawn < np.float32(bound)))
    assert {array.dtype for array in (zeros_init(key, count), ones_init(key, count), drawn)} == {np.dtype(np.float32)}
