"""Runs of rows: how many there are."""

from __future__ import annotations

from bendtorch.kernels.row_runs import ROWS, runs_of_chunk, runs_of_rows
from bendtorch.kernels.rows import CHUNK


def test_runs_cover_the_rows() -> None:
    assert [runs_of_rows(n) for n in (0, 1, ROWS, ROWS + 1, 5 * ROWS)] == [0, 1, 1, 2, 5]


def test_a_chunk_has_a_run_at_least() -> None:
    assert runs_of_chunk(1) == CHUNK // ROWS
    assert runs_of_chunk(10**6) == 1
