"""Runs of rows: how many there are."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch.kernels.prefetch import LINE
from bendtorch.kernels.row_runs import ROWS, room_for_sums, runs_of_chunk, runs_of_rows
from bendtorch.kernels.rows import CHUNK
from tests.support.kernels import compiled

RUNS_OF_ROWS: Any = runs_of_rows


def test_runs_cover_the_rows() -> None:
    assert [RUNS_OF_ROWS(n) for n in (0, 1, ROWS, ROWS + 1, 5 * ROWS)] == [0, 1, 1, 2, 5]


def test_a_chunk_has_a_run_at_least() -> None:
    assert runs_of_chunk(1) == CHUNK // ROWS
    assert runs_of_chunk(10**6) == 1


@compiled
def room(n: int, c: int) -> Any:
    """As kernels make it."""
    return room_for_sums(n, c)


@pytest.mark.parametrize(("n", "c"), [(1, 1), (2, 3), (ROWS, 7), (5 * ROWS + 1, 576)])
def test_room_is_a_row_for_each_run_from_a_cache_line_on(n: int, c: int) -> None:
    for _ in range(20):
        sums = room(n, c)
        assert sums.shape == (RUNS_OF_ROWS(n), c)
        assert sums.ctypes.data % LINE == 0
        sums[:] = 1
