"""Programs at the borders of blocks and tiles, with sums over every grid, at several numbers of threads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from bendtorch.kernels.block_ops import Op
from bendtorch.kernels.blocks import block_code
from bendtorch.kernels.code_addresses import address_of
from bendtorch.kernels.fused import BLOCK, run_program
from bendtorch.kernels.patterns import pattern
from bendtorch.kernels.program import TILE, Grid, program_of
from tests.support.arrays import all_same_bits, numbers, same_bits
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

SIZES: Final = (1, 2, BLOCK - 1, BLOCK, BLOCK + 1, TILE - 1, TILE, TILE + 1, 2 * TILE + 17)
GRIDS: Final = (
    (1, 1, 5),
    (1, 7, 1),
    (3, 4, 5),
    (1, 2000, 3),
    (1, 5, BLOCK + 3),
    (2, 70, 70),
    (1, 3, 2 * TILE + 100),
    (2, 1, TILE + 1),
    (1, 200, 300),
)


def addresses(*arrays: Any) -> Any:
    return np.array([address_of(x, x.size) for x in arrays], np.int64)


@pytest.mark.parametrize("size", SIZES)
def test_every_block_of_every_tile(size: int) -> None:
    """out = (x + two) · y - x, through two registers."""
    size = shrunk(size, size % 100 + 1)
    x, y, two = numbers(0, size), numbers(1, size), np.array([2], np.float32)
    room = np.full(size + 2, 7, np.float32)
    code = [(block_code(Op.ADD), 4, 0, 3, 0), (block_code(Op.MUL), 5, 4, 1, 4), (block_code(Op.SUB), 2, 5, 0, 5)]
    program = program_of(Grid(1, 1, size), 3, 2, [pattern((), (size,))], code, [])
    bases = addresses(x, y, room[1:-1], two)

    def found() -> Any:
        room[1:-1] = 7
        run_program(program, bases)
        return room.copy()

    for result in at_every_count(found):
        assert same_bits(result[1:-1], (x + np.float32(2)) * y - x)
        assert result[0] == result[-1] == 7


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_sums_over_every_grid(grid: tuple[int, int, int]) -> None:
    """Sums of the numbers themselves, over the width and over the rows."""
    groups, rows, width = (shrunk(size, size % 7 + 1) for size in grid)
    x = numbers(0, groups, rows, width) + np.float32(0.5)
    row = numbers(1, width)
    patterns = [pattern((width,), x.shape)] if width < x.size else []
    of_rows, of_columns = np.zeros((groups, rows), np.float32), np.zeros((groups, width), np.float32)
    slot = 1 if patterns else 0  # the row is summed where it repeats, else x
    program = program_of(Grid(groups, rows, width), 1, 0, patterns, [], [(0, True), (slot, False)])
    bases = addresses(*([x, row] if patterns else [x]), of_rows, of_columns)

    def found() -> Any:
        run_program(program, bases)
        return of_rows.copy(), of_columns.copy()

    results = at_every_count(found)
    wide = (np.broadcast_to(row, x.shape) if patterns else x).astype(np.float64)
    np.testing.assert_allclose(results[0][0], x.astype(np.float64).sum(2), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(results[0][1], wide.sum(1), rtol=1e-6, atol=1e-5)
    assert all(all_same_bits(other, results[0]) for other in results)


def test_addresses_are_as_many_as_arrays() -> None:
    x = numbers(0, 5)
    program = program_of(Grid(1, 1, 5), 2, 0, [], [(block_code(Op.NEG), 1, 0, 0, 0)], [])
    with pytest.raises(ValueError, match="not as many as the program's arrays"):
        run_program(program, addresses(x))
