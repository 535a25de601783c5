"""Rows by number: taken, and added in order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import ops
from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from tests.support.arrays import WRONG_IDS, labels, numbers, same_bits, same_numbers, snapshot, special_numbers
from tests.support.ops import Op, alike, check_ops
from tests.support.references import UNIT, Bounded
from tests.support.sizes import rows, seeds, shrunk, some_rows, widths
from tests.support.threads import at_every_count

gather: Any = ops.gather_rows
scatter: Any = ops.scatter_add_rows


def _which(n: int) -> Any:
    """Some rows, repeated and out of order; none where there are none."""
    return (np.arange(2 * n) * 7 + 1) % max(n, 1)


def _scattered(x: Any) -> Bounded:
    """Every sum has at most as many terms as there are rows."""
    value, size = np.zeros((3, x.shape[1])), np.zeros((3, x.shape[1]))
    np.add.at(value, np.arange(len(x)) % 3, x)
    np.add.at(size, np.arange(len(x)) % 3, np.abs(x))
    return Bounded(value, len(x) * UNIT * size)


OPS: Final = (
    Op("gather_rows", lambda t: gather(t, _which(len(t))), ("table",), alike(1), lambda t: t[_which(len(t))]),
    Op("scatter_add_rows", lambda x: scatter(3, np.arange(len(x)) % 3, x), "x", alike(1), _scattered, exact=False),
)

test_op = check_ops(OPS)


@given(n=rows, v=some_rows, d=widths, seed=seeds, kind=st.sampled_from(["int32", "int64"]))
def test_gathered_rows_are_numpys(n: int, v: int, d: int, seed: int, kind: str) -> None:
    table, which = special_numbers(seed, v, d), labels(seed, n, v).astype(kind)
    kept = snapshot(which)
    assert same_bits(gather(table, which), table[which])
    assert same_bits(which, kept)


@given(n=rows, v=some_rows, d=widths, seed=seeds)
def test_rows_add_up_in_order(n: int, v: int, d: int, seed: int) -> None:
    for make in (numbers, special_numbers):
        x, which = make(seed, n, d), labels(seed, n, v)
        wanted = np.zeros((v, d), np.float32)
        with np.errstate(all="ignore"):
            for place, row in zip(which, x, strict=True):
                wanted[place] += row
            assert same_numbers(scatter(v, which, x), wanted)


@given(n=rows, v=some_rows, d=widths, seed=seeds)
def test_scattering_is_the_transpose_of_gathering(n: int, v: int, d: int, seed: int) -> None:
    """<gather(t), x> = <t, scatter(x)>, exactly in whole numbers."""
    generator = np.random.default_rng(seed)
    table: Any = generator.integers(-9, 9, (v, d)).astype(np.float32)
    x: Any = generator.integers(-9, 9, (n, d)).astype(np.float32)
    which = labels(seed, n, v)
    assert float((gather(table, which) * x).sum()) == float((table * scatter(v, which, x)).sum())


def test_many_rows_at_every_number_of_threads() -> None:
    n, v, d = shrunk(5000, 50), 7, shrunk(1000, 9)
    x, which = numbers(0, n, d), labels(1, n, v)
    summed = at_every_count(lambda: scatter(v, which, x))
    taken = at_every_count(lambda: gather(x[:v], which))
    assert all(same_bits(summed[0], other) for other in summed)
    assert all(same_bits(x[:v][which], other) for other in taken)


@pytest.mark.parametrize("wrong", [-1, 4, 2**40, -(2**40)])
def test_ids_outside_are_refused(wrong: int) -> None:
    which = np.array([0, 3, wrong, 1])
    text = rf"ids\[2\] is {wrong}, ids go from 0 to 3$"
    with pytest.raises(IndexRangeError, match=rf"^gather_rows: {text}"):
        gather(numbers(0, 4, 2), which)
    with pytest.raises(IndexRangeError, match=rf"^scatter_add_rows: {text}"):
        scatter(4, which, numbers(0, 4, 2))


@pytest.mark.parametrize("kind", WRONG_IDS)
def test_ids_of_other_types_are_refused(kind: str) -> None:
    with pytest.raises(DtypeError, match=r"^gather_rows: ids must be int32 or int64"):
        gather(numbers(0, 4, 2), np.zeros(3, kind))
    with pytest.raises(DtypeError, match=r"^scatter_add_rows: ids must be int32 or int64"):
        scatter(4, np.zeros(3, kind), numbers(0, 3, 2))


def test_ids_that_are_no_vector_are_refused() -> None:
    for which in (np.zeros((3, 1), np.int64), np.zeros((), np.int64)):
        with pytest.raises(ShapeError, match=r"^gather_rows: ids must be a vector \(one axis\), got an array of shape"):
            gather(numbers(0, 4, 2), which)
    with pytest.raises(DtypeError, match=r"^gather_rows: ids must be a numpy array of ids, got list$"):
        gather(numbers(0, 4, 2), [0, 1])


def test_ids_of_any_layout() -> None:
    table, which = numbers(0, 9, 4), labels(0, 8, 9)
    frozen = which.copy()
    frozen.flags.writeable = False
    for same in (which[::-1].copy()[::-1], np.repeat(which, 2)[::2], frozen):
        assert same_bits(gather(table, same), table[which])
        assert same_bits(scatter(9, same, numbers(1, 8, 4)), scatter(9, which, numbers(1, 8, 4)))


def test_one_row_for_each_id() -> None:
    with pytest.raises(ShapeError) as refused:
        scatter(4, np.zeros(3, np.int64), numbers(0, 2, 5))
    wanted = "x must have 3 rows, one for each of the ids, got Mat[2, 5]"
    assert str(refused.value) == f"scatter_add_rows: {wanted}"
    with pytest.raises(ShapeError, match=r"^scatter_add_rows: size v must be at least 0, got -1$"):
        scatter(-1, np.zeros(3, np.int64), numbers(0, 3, 5))


def test_nothing_taken_and_nothing_added() -> None:
    none = np.zeros(0, np.int64)
    assert gather(numbers(0, 4, 2), none).shape == (0, 2)
    assert gather(numbers(0, 0, 2), none).shape == (0, 2)
    assert same_bits(scatter(3, none, numbers(0, 0, 2)), np.zeros((3, 2), np.float32))
    assert scatter(0, none, numbers(0, 0, 2)).shape == (0, 2)
