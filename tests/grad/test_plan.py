"""Plans: registers are used again, equal operations are computed once, plans are found again."""

from __future__ import annotations

from bendtorch.grad.plan import plan
from bendtorch.grad.trace import FULL
from bendtorch.kernels.block_ops import Op
from bendtorch.kernels.program import FIRST, RESULT, Grid

GRID = Grid(1, 1, 5)


def test_a_plan_is_found_again() -> None:
    key = (FULL, Op.EXP, 0)
    assert plan(GRID, key, (1,), ()) is plan(GRID, key, (1,), ())
    assert plan(GRID, key, (1,), ()) is not plan(Grid(1, 1, 6), key, (1,), ())


def test_a_long_chain_takes_two_registers() -> None:
    key = [FULL]
    for i in range(30):
        key += [Op.ADD, i, 0]
    program = plan(GRID, tuple(key), (30,), ())
    assert program.registers == 2
    assert len(program.code) == 30


def test_no_operation_writes_what_it_reads() -> None:
    key = (FULL, FULL, Op.MUL, 0, 1, Op.EXP, 2, Op.ADD, 3, 2, Op.FMA, 2, 3, 4, Op.NEG, 5)
    program = plan(GRID, key, (6, 4), ())
    assert all(row[RESULT] not in row[FIRST:] for row in program.code.tolist())


def test_equal_operations_are_computed_once() -> None:
    key = (FULL, Op.EXP, 0, Op.EXP, 0, Op.ADD, 1, 2)
    program = plan(GRID, key, (3,), ())
    assert len(program.code) == 2


def test_an_operand_that_is_asked_for_is_copied() -> None:
    program = plan(GRID, (FULL, int(Op.EXP), 0), (0, 1, 1), ((1, True),))
    assert program.code[:, [RESULT, FIRST]].tolist() == [[2, 0], [1, 0], [3, 2]]
    assert program.sums.tolist() == [[2, 1]]
    assert program.moving == 4
