"""From the key of a pass to the program that computes it, which is kept for the next pass with that key.

Equal operations of equal values are computed once. A value lives in a register from the operation that makes it to the
last one that reads it; one that is asked for as an array is written there, and read from there.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, Final

from bendtorch.grad.trace import FULL, REPEATED
from bendtorch.kernels.block_ops import Op, arity
from bendtorch.kernels.blocks import block_code
from bendtorch.kernels.patterns import pattern
from bendtorch.kernels.program import Grid, Program, program_of

KEPT: Final = 4096  # plans


@dataclass(slots=True)
class _Values:
    """The entries of a key: the numbers of values that are arrays of either kind, and the operations in order."""

    full: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    patterns: list[list[tuple[int, int]]] = field(default_factory=list)
    operations: list[tuple[int, Op, tuple[int, ...]]] = field(default_factory=list)  # result, operation, operands
    same: list[int] = field(default_factory=list)  # by number: the first value that is equal


@functools.lru_cache(KEPT)
def plan(grid: Grid, key: tuple[Any, ...], results: tuple[int, ...], sums: tuple[tuple[int, bool], ...]) -> Program:
    """The program that gives some values as arrays, and sums of some values, over the width or the rows of the grid.

    Its arrays are the operands as large as the grid, the results, the operands that repeat, and the sums.
    """
    values = _read(key)
    summed = [(values.same[number], of_rows) for number, of_rows in sums]
    slots = {number: slot for slot, number in enumerate(values.full)}
    moving = len(values.full) + len(results)
    slots |= {number: moving + i for i, number in enumerate(values.repeated)}
    copies = []
    for slot, number in enumerate([values.same[number] for number in results], len(values.full)):
        if number in slots:  # an operand, or a value that is asked for twice
            copies.append((slot, number))
        else:
            slots[number] = slot
    registers = _allocate(values, slots, {number for number, _ in summed}, moving + len(values.repeated))
    code = [_instruction(op, slots[number], [slots[x] for x in of]) for number, op, of in values.operations]
    code += [_instruction(Op.COPY, slot, [slots[number]]) for slot, number in copies]
    totals = [(slots[number], of_rows) for number, of_rows in summed]
    return program_of(grid, moving, registers, values.patterns, code, totals)


def _read(key: tuple[Any, ...]) -> _Values:
    values = _Values()
    seen: dict[Any, int] = {}
    at = 0
    while at < len(key):
        number, kind = len(values.same), key[at]
        if kind == FULL:
            values.same.append(number)
            values.full.append(number)
            at += 1
        elif kind == REPEATED:
            values.same.append(number)
            values.repeated.append(number)
            values.patterns.append(pattern(key[at + 1], key[at + 2]))
            at += 3
        else:
            end = at + 1 + arity(kind)
            of = tuple(values.same[i] for i in key[at + 1 : end])
            first = seen.setdefault((kind, of), number)
            values.same.append(first)
            if first == number:
                values.operations.append((number, Op(kind), of))
            at = end
    return values


def _instruction(op: Op, result: int, operands: list[int]) -> tuple[int, ...]:
    x, y, z = (operands + operands[:1] * 2)[:3]
    return block_code(op), result, x, y, z


def _allocate(values: _Values, slots: dict[int, int], to_the_end: set[int], first: int) -> int:
    """Give each operation's result that has no slot yet a register, from slot `first` on; gives how many there are.

    A register becomes free behind the last operation that reads it, so no operation writes what it reads.
    """
    last = {x: i for i, (_, _, of) in enumerate(values.operations) for x in of}
    free: list[int] = []
    used = 0
    for i, (number, _, of) in enumerate(values.operations):
        if number not in slots:
            if not free:
                free.append(first + used)
                used += 1
            slots[number] = free.pop()
        done = [x for x in {*of, number} if slots[x] >= first and last.get(x, i) == i and x not in to_the_end]
        free += [slots[x] for x in done]
    return used
