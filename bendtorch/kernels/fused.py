"""Programs of operations on numbers, run in one pass over memory, with sums of the results at their end.

A program is worked through block by block: each operation on 1024 numbers, then the next one, so that what lies between
reading the operands and writing the results stays in the first-level cache. Nothing is compiled for a new program.
Measured on a million numbers on one thread of an AVX-512 Xeon: a chain of ten with an exponential, a tanh and a sigmoid
takes the time of a kernel generated and compiled for it (half a second each), ten additions and products 1.4 times
that; blocks of 512 are as fast, of 2048 slower by a sixth. Memory moves 4 bytes for every number of an operand or
result, however many operations there are.

`program` says what a program is. It runs on addresses alone: who makes it vouches for its slots, and `address_of` for
the arrays.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.kernels.arrays import IntegerMatrix, Integers, Totals
from bendtorch.kernels.block_sums import add_columns, add_parts, add_rows
from bendtorch.kernels.code_addresses import call
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.panels import floats
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.patterns import load_pattern
from bendtorch.kernels.program import (
    CALLED,
    COUNT,
    FIRST,
    OF_ROWS,
    RESULT,
    SECOND,
    SUMMED,
    THIRD,
    Program,
)

BLOCK: Final = 1024  # numbers
LINE: Final = 64  # bytes of a cache line
FLOAT: Final = 4  # bytes of a float32


@helper
def _tiles(program: Program) -> tuple[int, int]:
    """How many tiles of a group lie one below the other, and how many side by side."""
    return chunks_of(program.rows, program.tile_rows), chunks_of(program.width, program.tile_width)


@helper
def _parts(program: Program, s: int) -> tuple[int, int, int]:
    """A sum's totals, before they are added: outer × parts × inner, of which the parts are added.

    A tile has the totals of one part: of a sum over the width the part is its place across, and there is a total for
    each row of the grid; of a sum over rows the part is its place down, and there is a total for each column.
    """
    down, across = _tiles(program)
    if program.sums[s, OF_ROWS]:
        return 1, across, program.groups * program.rows
    return program.groups, down, program.width


@helper
def _place(program: Program, bases: Integers, table: Integers, low: int, size: int, new: bool) -> None:
    """Bring the table to the block of `size` numbers from number `low` on. A tile's first block is its longest."""
    for i in range(program.moving):
        table[i] = bases[i] + FLOAT * low
    for i in range(program.patterns.shape[0]):
        if new or program.patterns[i, COUNT] > 1:  # a single number fills its block once for all
            slot = program.moving + i
            load_pattern(program.patterns[i], bases[slot], low, floats(table[slot], size))


@helper
def _compute(code: IntegerMatrix, table: Any, size: int) -> None:
    """Run the instructions on a block."""
    for i in range(code.shape[0]):
        result, x, y, z = code[i, RESULT], code[i, FIRST], code[i, SECOND], code[i, THIRD]
        call(code[i, CALLED], (table[result], table[x], table[y], table[z], size))


@helper
def _add_up(program: Program, table: Any, place: tuple[int, int], low: int, size: int, totals: Totals) -> None:
    """Add a block to the totals of its tile, which lies at a place below and to the right."""
    below, right = place
    start = 0
    for s in range(program.sums.shape[0]):
        outer, parts, inner = _parts(program, s)
        x = floats(table[program.sums[s, SUMMED]], size)
        if program.sums[s, OF_ROWS]:
            own = start + right * inner
            add_rows(x, low, program.width, totals[own : own + inner])
        else:
            own = start + below * inner
            add_columns(x, low, program.width, totals[own : own + inner])
        start += outer * parts * inner


@kernel
def _tile(tile: int, program: Program, bases: Integers, totals: Totals) -> None:
    """One tile, block by block. A tile of whole rows is one run of numbers."""
    rows, width = program.rows, program.width
    down, across = _tiles(program)
    right, below = tile % across, tile // across
    first = below % down * program.tile_rows
    count = min(program.tile_rows, rows - first)
    low = (below // down * rows + first) * width + right * program.tile_width
    length = min(program.tile_width, width - right * program.tile_width)
    if across == 1:
        count, length = 1, count * width
    blocks = program.patterns.shape[0] + program.registers
    space = np.empty(blocks * BLOCK + LINE // FLOAT, np.float32)
    table = np.empty(program.moving + blocks, np.int64)
    for i in range(blocks):
        table[program.moving + i] = (space.ctypes.data + LINE - 1) // LINE * LINE + FLOAT * BLOCK * i
    for start in range(low, low + count * width, width):
        for block in range(start, start + length, BLOCK):
            size = min(BLOCK, start + length - block)
            _place(program, bases, table, block, size, block == low)
            _compute(program.code, table, size)
            _add_up(program, table, (below, right), block, size, totals)
    space[0] = 0  # used to the end: an array whose address alone is in use may be freed


@kernel
def run_program(program: Program, bases: Integers) -> None:
    """Run a program on arrays at the addresses `bases`: of its moving slots, of its patterns, and of the sums."""
    first, sums = program.moving + program.patterns.shape[0], program.sums.shape[0]
    if bases.size != first + sums:
        raise ValueError("the addresses are not as many as the program's arrays")
    count = 0
    for s in range(sums):
        outer, parts, inner = _parts(program, s)
        count += outer * parts * inner
    totals = np.zeros(count, np.float64)
    down, across = _tiles(program)
    parallel_for(_tile, program.groups * down * across, (program, bases, totals))
    start = 0
    for s in range(sums):
        outer, parts, inner = _parts(program, s)
        count = outer * parts * inner
        add_parts(totals[start : start + count], outer, parts, inner, floats(bases[first + s], outer * inner))
        start += count
