"""Programs as the kernel reads them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.program import PARTS, TILE, Grid, program_of

sizes = st.one_of(st.integers(1, 5), st.integers(1, 10**6))


@given(groups=sizes, rows=sizes, width=sizes)
def test_tiles_are_worth_a_chunk_and_few(groups: int, rows: int, width: int) -> None:
    grid = Grid(groups, rows, width)
    assert 1 <= grid.tile_width <= width
    assert grid.tile_rows * grid.tile_width >= min(TILE // 2, rows * width)
    assert -(-rows // grid.tile_rows) <= PARTS


def test_the_tables() -> None:
    patterns = [[(4, 1), (6, 0)], [(24, 0)]]
    program = program_of(Grid(2, 3, 4), 2, 1, patterns, [(111, 1, 4, 0, 2)], [(4, True), (4, False)])
    assert (program.groups, program.rows, program.width, program.moving, program.registers) == (2, 3, 4, 2, 1)
    assert program.code.tolist() == [[111, 1, 4, 0, 2]]
    assert program.sums.tolist() == [[4, 1], [4, 0]]
    assert program.patterns.tolist() == [[2, 4, 1, 6, 0], [1, 24, 0, 0, 0]]


def test_tables_may_be_empty() -> None:
    program = program_of(Grid(1, 1, 4), 1, 0, [], [], [])
    assert all(len(table) == 0 for table in (program.code, program.sums, program.patterns))
