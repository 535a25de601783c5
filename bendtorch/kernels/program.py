"""Programs for `fused`: what they compute, and how their numbers are cut into the tiles that threads run.

The numbers are seen as `groups` × `rows` × `width`. A sum at the end of a program is over the width, or over the rows
of each group. A tile is some rows of a group, and of these some columns; only where rows are long are they cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import IntegerMatrix

TILE: Final = 1 << 14  # numbers: some microseconds
PARTS: Final = 64  # partial sums of a column at most

CALLED, RESULT, FIRST, SECOND, THIRD = range(5)  # an instruction: the address of a kernel, and slots
SUMMED, OF_ROWS = range(2)  # a sum: a slot, and whether over the width
COUNT = 0  # of a pattern: how many axes it has; their sizes and strides follow


class Grid(NamedTuple):
    """How the numbers are seen: `groups` × `rows` × `width`."""

    groups: int
    rows: int
    width: int

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.groups * self.rows * self.width

    @property
    def tile_width(self) -> int:
        """How many columns a tile has."""
        return max(1, min(self.width, TILE))

    @property
    def tile_rows(self) -> int:
        """How many rows of a group a tile has: enough to be worth a chunk, and to leave few partial sums to add."""
        return max(1, TILE // self.tile_width, -(-self.rows // PARTS))


class Program(NamedTuple):
    """What a pass over memory computes.

    A slot is a place in a table of addresses. First come `moving` arrays as large as the grid, which are read or
    written block by block, then those that repeat, each with its pattern and a block that it is loaded into, then
    `registers`, which are blocks of working space.
    """

    moving: int
    registers: int
    patterns: IntegerMatrix
    code: IntegerMatrix
    sums: IntegerMatrix
    groups: int
    rows: int
    width: int
    tile_rows: int
    tile_width: int


def program_of(
    grid: Grid,
    moving: int,
    registers: int,
    patterns: Sequence[Sequence[tuple[int, int]]],
    code: Sequence[tuple[int, ...]],
    sums: Sequence[tuple[int, bool]],
) -> Program:
    """A program over a grid: patterns by their axes, instructions, and sums by their slot and direction."""
    axes = [[len(pattern), *(number for axis in pattern for number in axis)] for pattern in patterns]
    longest = max((len(row) for row in axes), default=0)
    return Program(
        moving,
        registers,
        _table([row + [0] * (longest - len(row)) for row in axes]),
        _table(code),
        _table(sums),
        *(grid.groups, grid.rows, grid.width, grid.tile_rows, grid.tile_width),
    )


def _table(rows: Sequence[Sequence[int]]) -> IntegerMatrix:
    return np.array(rows, np.int64).reshape(len(rows), -1 if rows else 0)
