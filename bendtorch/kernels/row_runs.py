"""Sums over the rows of a matrix, taken while the rows are in the cache: in runs of a few rows.

Traffic beside that of the rows: a row of sums, written and read, for each run of 16 rows: half a byte a number.

A float32 sum of few terms loses little, and the runs are cut by the number of rows alone. Their sums, a row for each,
are added in float64 afterwards (`linear.add_column_sums`), so the bits do not depend on the threads.
"""

from __future__ import annotations

from typing import Final

from bendtorch.kernels.compile import helper
from bendtorch.kernels.rows import CHUNK

ROWS: Final = 16  # rows of a run


def runs_of_rows(n: int) -> int:
    """How many runs there are in `n` rows; for Python, where the room for their sums is made."""
    return -(-n // ROWS)


@helper
def runs_of_chunk(c: int) -> int:
    """How many runs of rows of `c` numbers a chunk has."""
    return max(1, CHUNK // (ROWS * c))
