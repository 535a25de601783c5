"""Embedding's kernels: the order of the ids, rows over several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.embedding import DIGIT, embedding_backward, order_of
from tests.support.arrays import labels, numbers, same_bits
from tests.support.sizes import seeds, shrunk

ORDER: Any = order_of
BACKWARD: Any = embedding_backward


@given(seed=seeds, n=st.integers(0, 60), bits=st.sampled_from([0, 1, DIGIT, DIGIT + 1, 2 * DIGIT + 3, 40, 62]))
def test_the_order_is_that_of_a_stable_sort(seed: int, n: int, bits: int) -> None:
    """For bounds of any number of digits, ids that repeat among them."""
    generator = np.random.default_rng(seed)
    ids = generator.choice(generator.integers(0, 2**bits, max(1, n // 2)), n)
    assert same_bits(ORDER(ids, 2**bits), np.argsort(ids, kind="stable"))


@given(seed=seeds, g=st.sampled_from([0.0, -0.0, 1.0]))
def test_a_sum_begins_at_plus_zero(seed: int, g: float) -> None:
    """So g + dy has the bits of computing the sum apart, also for rows of -0; rows without ids stay as they are."""
    target = np.full((4, 3), g, np.float32)
    BACKWARD(np.full((3, 3), -0.0, np.float32), np.array([1, 2, 2]), -1, target)
    assert same_bits(target[1:3], np.full((2, 3), g, np.float32) + np.float32(0))
    assert same_bits(target[[0, 3]], np.full((2, 3), g, np.float32))


def test_rows_of_one_id_are_summed_in_float64() -> None:
    """A running float32 sum stops at 2^24."""
    n = shrunk(3000, 300)
    dy = np.ones((n, 2), np.float32)
    dy[0] = 2.0**24
    g = np.zeros((2, 2), np.float32)
    BACKWARD(dy, np.zeros(n, np.int64), -1, g)
    assert same_bits(g, np.array([[2**24 + n - 1] * 2, [0, 0]], np.float32))


def test_the_paddings_rows_are_not_added() -> None:
    g = np.zeros((3, 1), np.float32)
    BACKWARD(np.ones((5, 1), np.float32), np.array([1, 0, 1, 2, 2]), 1, g)
    assert g.tolist() == [[1], [0], [2]]


def test_numbers_are_only_read() -> None:
    dy, ids, g = numbers(0, 5, 3), labels(1, 5, 4), np.zeros((4, 3), np.float32)
    kept = dy.copy(), ids.copy()
    BACKWARD(dy, ids, -1, g)
    assert same_bits(dy, kept[0])
    assert same_bits(ids, kept[1])
