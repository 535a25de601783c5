"""Embedding: the checks of every layer, repeated ids, the padding's row; its law is in `laws/test_embedding.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.keys import Key
from bendtorch.layers import Embedding
from tests.support.arrays import labels, numbers, same_bits
from tests.support.layers import check_layer
from tests.support.params import random_like
from tests.support.references import F64, UNIT, Bounded, Gradients, Reference, exact
from tests.support.sizes import rows, seeds, widths
from tests.support.threads import at_every_count

EMBEDDING: Any = Embedding


def scattered(table: F64, ids: Any, dy: F64, padding_id: int | None) -> Bounded:
    """Rows of dy added by their ids, each sum rounded once."""
    total, size = np.zeros(table.shape), np.zeros(table.shape)
    np.add.at(total, ids, dy)
    np.add.at(size, ids, np.abs(dy))
    if padding_id is not None:
        total[padding_id] = size[padding_id] = 0
    return Bounded(total, UNIT * np.abs(total) + 2.0**-45 * size)


def reference(n: int, v: int, d: int, padding_id: int | None = None) -> Reference:
    """The layer in float64."""
    return Reference(
        lambda p, ids: exact(p[0][ids]),
        lambda p, ids, dy: Gradients(None, (scattered(p[0], ids, dy, padding_id),)),
    )


test_embedding = check_layer(Embedding, 2, reference)
test_embedding_with_padding = check_layer(Embedding, 2, reference, padding_id=(0,))


def test_example() -> None:
    table = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    layer, ids = EMBEDDING(4, 3, 2), np.array([2, 0, 2, 2])
    forward = layer.fwd(table, ids)
    assert forward.y.tolist() == [[5, 6], [1, 2], [5, 6], [5, 6]]
    backward = layer.bwd(table, forward.s, np.array([[1, 1], [2, 2], [4, 4], [8, 8]], np.float32), layer.zeros())
    assert backward.g.tolist() == [[2, 2], [0, 0], [13, 13]]
    assert same_bits(backward.dx, ids)  # ids have no gradient; they stand for it


@given(seed=seeds, v=st.sampled_from([1, 2, 40, 5000, 2**23]), d=st.sampled_from([1, 3, 33]))
def test_many_rows_of_few_and_many_ids_at_any_number_of_threads(seed: int, v: int, d: int) -> None:
    """Runs of one id that go on over several chunks, tables whose ids have one, two and three digits of the sort."""
    n = 40
    d = min(d, 2**23 // v)
    layer = EMBEDDING(n, v, d)
    ids = np.random.default_rng(seed).choice([0, v // 2, v - 1, *labels(seed, 20, v)], n)
    dy, g = numbers(seed, n, d), layer.zeros()
    for result in at_every_count(lambda: layer.bwd(g, ids, dy, layer.zeros()).g):
        used = np.unique(ids)
        wanted = np.array([dy[ids == i].astype(np.float64).sum(axis=0) for i in used])
        assert np.allclose(result[used], wanted, rtol=2 * UNIT, atol=1e-12)
        assert np.count_nonzero(result) == np.count_nonzero(result[used])


@given(n=rows, d=widths, seed=seeds)
def test_the_padding_has_no_gradient_and_starts_as_zeros(n: int, d: int, seed: int) -> None:
    v, padding = 4, seed % 4
    layer, plain = EMBEDDING(n, v, d, padding_id=padding), EMBEDDING(n, v, d)
    ids, dy, p = labels(seed, n, v), numbers(seed, n, d), layer.init(Key(seed))
    others = np.arange(v) != padding
    assert not p[padding].any()
    assert same_bits(p[others], plain.init(Key(seed))[others])
    assert same_bits(layer.fwd(p, ids).y, plain.fwd(p, ids).y)
    kept = random_like(layer, seed + 1)
    g, all_rows = kept.copy(), kept.copy()
    layer.bwd(p, ids, dy, g)
    plain.bwd(p, ids, dy, all_rows)
    assert same_bits(g[padding], kept[padding])
    assert same_bits(g[others], all_rows[others])


def test_starts_normally_distributed() -> None:
    table: Any = EMBEDDING(1, 400, 50).init(Key(3))
    assert same_bits(table.reshape(-1), Key(3).fold(0).normal(20_000))
    assert abs(float(table.mean(dtype=np.float64))) < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("padding", [-1, 3, 1.0, True, "0", np.int64(1)])
def test_a_padding_that_is_no_row_is_refused(padding: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"^Embedding\(2, 3, 4\): padding_id must be an int from 0 to 2, or None, got "
    ):
        EMBEDDING(2, 3, 4, padding_id=padding)


def test_saved_ids_are_checked_again() -> None:
    """Whoever changes them between the passes gets an error, not another's memory."""
    layer, ids = EMBEDDING(2, 3, 4), np.array([0, 1])
    s = layer.fwd(layer.zeros(), ids).s
    ids[1] = 7
    with pytest.raises(IndexRangeError, match=r"^Embedding\(2, 3, 4\): the saved input\[1\] is 7, ids go from 0 to 2$"):
        layer.bwd(layer.zeros(), s, np.ones((2, 4), np.float32), layer.zeros())
