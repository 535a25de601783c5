"""Sums of gradients over trees of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.combine.gradients import add_gradients
from bendtorch.errors import BendError, DtypeError, ShapeError
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.arrays import LAYOUTS, all_same_bits, as_lists, broadcast_row, numbers, same_bits, snapshot
from tests.support.nests import drawn
from tests.support.sizes import rows, seeds, widths

ADD: Any = add_gradients
specs: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.builds(mat_spec, rows, widths), st.builds(ids_spec, rows)),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)


@given(spec=specs, seed=seeds)
def test_matrices_add_and_ids_stay_over_any_tree(spec: Any, seed: int) -> None:
    first = drawn(spec, seed)
    second = with_ids_of(first, drawn(spec, seed + 1))
    before = snapshot((first, second))
    total = ADD(first, second, "Fork")
    assert same_tree(total, first)
    for one, two, actual in zip(as_lists(first), as_lists(second), as_lists(total), strict=True):
        if one.ndim == 1:
            assert same_bits(actual, one)
        else:
            expected = (one.astype(np.float64) + two.astype(np.float64)).astype(np.float32)
            assert same_bits(actual, expected)
            assert not any(np.shares_memory(actual, array) for array in (one, two))
    assert all_same_bits((first, second), before)


def with_ids_of(first: Any, second: Any) -> Any:
    """The second tree, with the ids of the first: both are markers of one input."""
    if isinstance(first, tuple):
        return tuple(map(with_ids_of, first, second))
    return first if first.ndim == 1 else second


def same_tree(one: Any, two: Any) -> bool:
    if isinstance(one, tuple) or isinstance(two, tuple):
        return type(one) is type(two) and len(one) == len(two) and all(map(same_tree, one, two))
    return type(one) is type(two)


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_ids_keep_their_type(kind: str) -> None:
    ids = np.arange(3).astype(kind)
    assert ADD(ids, ids, "Fork").dtype == np.dtype(kind)
    (total, rest) = ADD((ids, ()), (ids, ()), "Fork")
    assert same_bits(total, ids)
    assert rest == ()


@given(n=rows, c=widths, seed=seeds)
def test_any_layout_of_either(n: int, c: int, seed: int) -> None:
    a, b = numbers(seed, n, c), numbers(seed + 1, n, c)
    for one in LAYOUTS.values():
        for two in LAYOUTS.values():
            assert same_bits(ADD(one(a), two(b), "Fork"), a + b)
    if n:
        assert same_bits(ADD(broadcast_row(a), b, "Fork"), a[:1] + b)
        assert same_bits(ADD(a, broadcast_row(b), "Fork"), a + b[:1])


def test_the_layer_is_named_when_two_gradients_do_not_fit() -> None:
    a, b = np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    text = r"^Copy\(2, 3\): a gradient must be Mat\[2, 3\], got an array of shape \[3, 2\]$"
    with pytest.raises(ShapeError, match=text):
        ADD(a, b, "Copy(2, 3)")
    for one, two in ((a, a.astype(np.float64)), (a.astype(np.float64), a), (a, a.astype(np.int64)), (a, a.tolist())):
        with pytest.raises(DtypeError, match=r"^Fork: a gradient must be "):
            ADD(one, two, "Fork")


UNLIKE: Any = {
    "a pair and three": lambda a: ((a, a), (a, a, a)),
    "a pair and one": lambda a: ((a, a), (a,)),
    "a pair and a matrix": lambda a: ((a, a), a),
    "a matrix and a pair": lambda a: (a, (a, a)),
    "ids and a matrix": lambda a: (np.arange(2), a),
    "a list and a matrix": lambda a: (a.tolist(), a),
    "nothing and a matrix": lambda a: (None, a),
}


@pytest.mark.parametrize("unlike", UNLIKE.values(), ids=UNLIKE)
def test_the_layer_is_named_when_two_trees_do_not_fit(unlike: Any) -> None:
    """Only a layer of a user's own can give these, and the plain error of a loop over them would not say where."""
    with pytest.raises(BendError, match=r"^Fork: "):
        ADD(*unlike(np.zeros((2, 3), np.float32)), "Fork")


def test_nothing_is_added_to_no_arrays() -> None:
    assert ADD((), (), "Fork") == ()
    assert ADD(((), ((),)), ((), ((),)), "Fork") == ((), ((),))
