"""A run of k by itself: sizes at the edges of blocks, and what is said to be packed next, against what is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bendtorch.kernels.blas import INNER
from bendtorch.kernels.blocking import (
    AT_A_TIME,
    COLUMNS,
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
from bendtorch.kernels.blocking import _later as later
from bendtorch.kernels.compile import helper
from bendtorch.kernels.microkernel import ROWS, WIDTH
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.references import product
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not OWN, reason="this processor's products are OpenBLAS's, or the JIT is off")

RUN: Any = multiply_run
SPACE: Any = space_of
AHEAD: Any = ahead_of
LATER: Any = later
NOTHING: Final = 0


@helper
def _next(address: int, ldb: int, tb: bool) -> Factor:
    return Factor(address, ldb, tb)


@compiled
def call(
    ta: bool, tb: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, c: int, space: int, later: int
) -> None:
    start = (space + LINE - 1) // LINE * LINE
    RUN(Factor(a, lda, ta), Factor(b, ldb, tb), m, n, k, Target(c, n, 0), start, _next(later, ldb, tb))


def computed(ta: bool, tb: bool, a: Any, b: Any, following: int) -> Any:
    (m, k), n = a.shape, b.shape[1]
    left, right = np.ascontiguousarray(a.T if ta else a), np.ascontiguousarray(b.T if tb else b)
    c, space = np.full((m, n), np.nan, np.float32), np.full(SPACE(m, n) // 4 + LINE, np.nan, np.float32)
    room = space[: space.size - LINE // 4]
    call(
        *(ta, tb, m, n, k, left.ctypes.data, left.shape[1], right.ctypes.data, right.shape[1]),
        *(c.ctypes.data, room.ctypes.data, following),
    )
    assert np.all(np.isnan(space[room.size + LINE // 4 :])), "packed beyond its space"
    return c


rows = st.one_of(st.integers(1, 2 * ROWS), st.sampled_from([FEW, FEW + 1, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 5]))
columns = st.one_of(
    st.integers(1, 2 * WIDTH + 1), st.sampled_from([COLUMNS - 1, COLUMNS, COLUMNS + 1, 2 * COLUMNS + 9])
)


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@settings(max_examples=20, deadline=None)
@given(m=rows, n=columns, k=st.sampled_from([1, 7, 16, 63, INNER]), seed=seeds)
@example(m=GROUP + 1, n=COLUMNS + 1, k=INNER, seed=0)
def test_a_run(ta: bool, tb: bool, m: int, n: int, k: int, seed: int) -> None:
    """The same bits whatever is packed next, and those of float64 within the bound."""
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    c = computed(ta, tb, a, b, NOTHING)
    assert product(a.astype("f8"), b.astype("f8")).holds(c)
    assert same_bits(c, computed(ta, tb, a, b, b.ctypes.data))


@given(n=st.integers(1, COLUMNS), k=st.integers(1, INNER), stride=st.integers(1, 5000), turned=st.booleans())
def test_all_that_is_packed_next_is_brought_near(n: int, k: int, stride: int, turned: bool) -> None:
    """Its rows are as long as what a tile touches of them, and none is left when enough tiles are done."""
    ahead = AHEAD(Factor(1 << 20, stride, turned), n, k)
    length = 4 * (k if turned else n)
    assert ahead.rows == (n if turned else k)
    assert ahead.step * k >= length
    assert (ahead.step - 4) * k < length
    tiles = -(-ahead.rows // AT_A_TIME)
    assert LATER(ahead, tiles).rows <= 0 < LATER(ahead, tiles - 1).rows
    assert LATER(ahead, 1).address == ahead.address + AT_A_TIME * 4 * stride
    assert AHEAD(Factor(0, stride, turned), n, k).rows == 0
