"""The tree of packed moments, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Dropout, Linear, LinearNB, ReLU, Repeat, Residual, Seq, Tie
from bendtorch.checkpoint.tree import read_tree, tree_cells
from bendtorch.errors import CheckpointError
from bendtorch.optim.state import PackedMoments

LIN: Any = Linear
NB: Any = LinearNB
RELU: Any = ReLU


def moments(count: int, both: bool = True) -> Any:
    m = np.arange(1, count + 1).astype(np.uint16)
    return PackedMoments(m, m + np.uint16(100) if both else np.arange(count).astype(np.float32))


def cells(model: Any, both: bool = True) -> list[int]:
    return tree_cells(model.zeros(), moments(model.count(), both), True).view(np.uint32).tolist()


def word(low: int, high: int = 0) -> int:
    return low | high << 16


W = [2, 2, word(1, 2), word(101, 102)]  # 1 × 2 numbers
B = [2, 1, word(3), word(103)]


def test_a_record_is_a_pair_of_its_matrices() -> None:
    assert cells(LIN(1, 2, 1)) == [1, *W, *B]
    assert cells(NB(1, 2, 1)) == W


def test_a_second_moment_in_float32() -> None:
    first = np.float32(1).view(np.uint32)
    assert cells(NB(1, 2, 1), both=False) == [3, 2, word(1, 2), 0, int(first)]


def test_layers_without_moments_are_marked() -> None:
    drop: Any = Dropout(1, 2, 0.5, 1)
    assert cells(RELU(1, 2) >> NB(1, 2, 1)) == [1, 0, 1, *W]
    assert cells(NB(1, 2, 2) >> drop)[-2:] == [0, 1]
    after: Any = drop >> NB(1, 2, 1)
    assert cells(after) == [1, 0, 1, 2, 2, word(2, 3), word(102, 103)]  # the counter is number 1
    assert cells(RELU(1, 2) >> NB(1, 2, 1), both=False)[:3] == [1, 0, 0]


def test_nesting() -> None:
    """`>>` nests to the left, `Seq` to the right, `Repeat` as `Seq`, `Residual` is ((none, f), none)."""
    one = NB(1, 1, 1)
    x, y, z = ([2, 1, word(i), word(100 + i)] for i in (1, 2, 3))
    assert cells(one >> one >> one) == [1, 1, *x, *y, *z]
    assert cells(Seq(one, one, one)) == cells(Repeat(3, one)) == [1, *x, 1, *y, *z]
    assert cells(Repeat(1, one)) == x
    assert cells(Residual(one)) == [1, 1, 0, 1, *x, 0, 1]
    assert cells(Tie(one, one, one)) == [1, *x, *y]


def test_a_run_that_was_not_stepped_is_one_mark() -> None:
    model = LIN(1, 2, 1) >> RELU(1, 1)
    for both in (True, False):
        state = moments(3, both)
        flat = tree_cells(model.zeros(), state, False)
        assert flat.view(np.uint32).tolist() == [0, int(both)]
        assert read_tree(model.zeros(), state, flat, "here") == 2


@pytest.mark.parametrize("both", [True, False])
def test_reading_inverts_writing(both: bool) -> None:
    drop: Any = Dropout(1, 3, 0.5, 1)
    model = LIN(1, 2, 3) >> drop >> Repeat(3, Residual(LIN(1, 3, 3) >> RELU(1, 3)))
    state = moments(model.count(), both)
    flat = tree_cells(model.zeros(), state, True)
    other: Any = PackedMoments(np.zeros_like(state.m), np.zeros_like(state.v))
    assert read_tree(model.zeros(), other, np.append(flat, np.float32(7)), "here") == flat.size
    counter = 9
    for name in ("m", "v"):
        expected = getattr(state, name).copy()
        expected[counter] = 0
        assert getattr(other, name).tolist() == expected.tolist()


def test_another_tree_is_refused() -> None:
    model, state = LIN(1, 2, 1), moments(3)
    flat = tree_cells(model.zeros(), state, True)
    for place in range(5):
        wrong = flat.copy()
        wrong.view(np.uint32)[place] += 1
        if place in (0, 1, 2):
            with pytest.raises(CheckpointError, match="here: the moments' tree has"):
                read_tree(model.zeros(), state, wrong, "here")
    for length in range(flat.size):
        with pytest.raises(CheckpointError, match=r"here: (the moments' tree has|ends within)"):
            read_tree(model.zeros(), state, flat[:length], "here")
