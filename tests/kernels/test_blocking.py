"""A run of k by itself: sizes at the edges of blocks, and what is said to be packed next, against what is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bendtorch.kernels.blas import INNER
from bendtorch.kernels.blocking import (
    COLUMNS,
    FAR,
    FEW,
    GROUP,
    LINE,
    OWN,
    Factor,
    Target,
    multiply_run,
    space_of,
)
from bendtorch.kernels.blocking import _ahead as ahead_of
from bendtorch.kernels.blocking import _first_row as first_row
from bendtorch.kernels.blocking import _later as later
from bendtorch.kernels.blocking import _soon as soon
from bendtorch.kernels.compile import helper
from bendtorch.kernels.microkernel import AT_ONCE, NEAR, ROWS, WIDTH
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not OWN, reason="this processor's products are OpenBLAS's, or the JIT is off")

RUN: Any = multiply_run
SPACE: Any = space_of
AHEAD: Any = ahead_of
LATER: Any = later
SOON: Any = soon
FIRST_ROW: Any = first_row
GROUPED: Final = GROUP * ROWS


@helper
def _next(address: int, stride: int, turned: bool) -> Factor:
    return Factor(address, stride, turned)


@compiled
def call(
    ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, space: int, more: bool
) -> None:
    start = (space + LINE - 1) // LINE * LINE
    following = _next(a if more else 0, lda, ta), _next(b if more else 0, ldb, tb)
    RUN(Factor(a, lda, ta), Factor(b, ldb, tb), m, n, k, Target(c, n, 0, 0, 0), start, *following)


def computed(ta: bool, tb: bool, a: Any, b: Any, more: bool) -> Any:
    """a·b in one run; `more` says that another one follows."""
    (m, k), n = a.shape, b.shape[1]
    left, right = np.ascontiguousarray(a.T if ta else a), np.ascontiguousarray(b.T if tb else b)
    c, space = np.full((m, n), np.nan, np.float32), np.full(SPACE(m, n) // 4 + LINE, np.nan, np.float32)
    room = space[: space.size - LINE // 4]
    call(
        *(ta, tb, m, n, k, left.ctypes.data, left.shape[1], right.ctypes.data, right.shape[1]),
        *(c.ctypes.data, room.ctypes.data, more),
    )
    assert np.all(np.isnan(space[room.size + LINE // 4 :])), "packed beyond its space"
    return c


rows = st.one_of(
    st.integers(1, 2 * ROWS), st.sampled_from([FEW, FEW + 1, GROUPED - 1, GROUPED, GROUPED + 1, 2 * GROUPED + 5])
)
columns = st.one_of(
    st.integers(1, 2 * WIDTH + 1), st.sampled_from([COLUMNS - 1, COLUMNS, COLUMNS + 1, 2 * COLUMNS + 9])
)


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@settings(max_examples=20, deadline=None)
@given(m=rows, n=columns, k=st.sampled_from([1, 7, 16, 63, INNER]), seed=seeds)
@example(m=GROUPED + 1, n=COLUMNS + 1, k=INNER, seed=0)
def test_a_run(ta: bool, tb: bool, m: int, n: int, k: int, seed: int) -> None:
    """The same bits whatever is packed next, and those of float64 within the bound."""
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    c = computed(ta, tb, a, b, False)
    assert product(a.astype("f8"), b.astype("f8")).holds(c)
    assert same_bits(c, computed(ta, tb, a, b, True))


@settings(max_examples=10, deadline=None)
@given(m=rows, n=st.sampled_from([WIDTH, WIDTH + 1, 2 * WIDTH]), k=st.sampled_from([1, 17, INNER]), seed=seeds)
def test_rows_far_apart_are_packed(m: int, n: int, k: int, seed: int) -> None:
    """With the bits of those that lie close together."""
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    wide = np.empty((m, FAR), np.float32)
    wide[:, :k] = a
    c, space = np.full((m, n), np.nan, np.float32), np.empty(SPACE(m, n) // 4 + LINE, np.float32)
    places = wide.ctypes.data, FAR, b.ctypes.data, n, c.ctypes.data, space.ctypes.data
    call(False, False, m, n, k, *places, False)
    assert same_bits(c, computed(False, False, a, b, False))


@given(m=st.integers(1, 5000))
def test_strips_are_as_high_as_each_other(m: int) -> None:
    strips = -(-m // ROWS)
    heights = {FIRST_ROW(strip + 1, m) - FIRST_ROW(strip, m) for strip in range(strips)}
    assert FIRST_ROW(0, m) == 0
    assert FIRST_ROW(strips, m) == m
    assert max(heights) <= ROWS
    assert max(heights) - min(heights) <= 1
    assert FIRST_ROW(1, m) == max(heights)


@given(n=st.integers(1, COLUMNS), k=st.integers(AT_ONCE, INNER), stride=st.integers(1, 5000), turned=st.booleans())
def test_all_that_is_packed_next_is_brought_near(n: int, k: int, stride: int, turned: bool) -> None:
    """Its rows with the lines they lie in, whole; nothing is left when enough tiles are done."""
    ahead = AHEAD(Factor(1 << 20, stride, turned), n, k)
    bytes_of_a_row = 4 * (k if turned else n)
    assert ahead.rows == (n if turned else k)
    assert ahead.length % NEAR == 0
    assert bytes_of_a_row + LINE - 4 <= ahead.length < bytes_of_a_row + LINE - 4 + NEAR
    tiles = -(-ahead.rows * ahead.length // (k // AT_ONCE * NEAR))
    assert LATER(ahead, tiles, k).rows <= 0 < LATER(ahead, tiles - 1, k).rows
    done = LATER(ahead, 1, k)
    assert done.address == ahead.address + (ahead.rows - done.rows) * 4 * stride
    assert AHEAD(Factor(0, stride, turned), n, k).rows == 0


@given(
    m=st.integers(1, 600),
    k=st.integers(1, INNER),
    stride=st.integers(600, 5000),
    turned=st.booleans(),
    packed=st.booleans(),
)
def test_every_later_strip_is_brought_near(m: int, k: int, stride: int, turned: bool, packed: bool) -> None:
    """All of op(a) but what comes first, each number by some strip; and the next run's first strips, if it is known."""
    strips, distance = -(-m // ROWS), GROUP if packed else 1
    base, after = 1 << 30, 1 << 40
    near = np.zeros((k, stride) if turned else (m, stride), np.bool_)
    for strip in range(strips):
        ahead = SOON(Factor(base, stride, turned), m, k, strip, distance, Factor(after, stride, turned))
        if ahead.rows > 0 and ahead.address < after:
            row, column = divmod((ahead.address - base) // 4, stride)
            near[row : row + ahead.rows, column : column + ahead.length // 4] = True
    brought = near[:, :m].all(axis=0) if turned else near[:, :k].all(axis=1)
    first = FIRST_ROW(min(distance, strips), m)
    assert np.all(brought[first:])
    assert not turned or not np.any(brought[: max(first - LINE // 4, 0)])
