"""embedding: rows of a table, ids of any shape, repeated ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes


def _case(rows: int, width: int, shape: list[int], kind: Any, seed: int) -> Case:
    ids = np.random.default_rng(seed).integers(0, rows, shape).astype(kind)
    return Case(lambda table: grad.embedding(table, ids), lambda table: table[ids], (normal(seed, (rows, width)),))


few = st.integers(1, 4)
kinds = st.sampled_from([np.int32, np.int64])

test_operation = check_operations(
    Operation("embedding", of_sizes(_case, few, few, st.lists(st.integers(0, 3), min_size=1, max_size=2), kinds))
)


def test_gradients_of_repeated_rows_add_up() -> None:
    g = grad.graph()
    table = g.input(normal(0, (4, 2)))
    y = grad.embedding(table, np.array([1, 3, 1]))
    ct = normal(1, (3, 2))
    wanted = np.zeros((4, 2), np.float32)
    wanted[1], wanted[3] = ct[0] + ct[2], ct[1]
    assert np.array_equal(g.backward_from(y, ct).of(table), wanted)


def test_refusals() -> None:
    g = grad.graph()
    table = g.input(normal(0, (4, 2)))
    for wrong in (4, -1):
        with pytest.raises(IndexRangeError, match=rf"^embedding: ids\[1\] is {wrong}, ids go from 0 to 3"):
            grad.embedding(table, np.array([0, wrong]))
    with pytest.raises(DtypeError, match=r"^embedding: ids must be int32 or int64"):
        grad.embedding(table, np.array([0.0]))
    with pytest.raises(DtypeError, match=r"^embedding: ids must be a numpy array of ids, got list"):
        grad.embedding(table, [0])
    with pytest.raises(ShapeError, match=r"^embedding: the table must be \(rows, width\), got the shape \[4\]"):
        grad.embedding(g.input(normal(0, (4,))), np.array([0]))
