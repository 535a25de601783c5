"""Keys of passes: equal for the same program on other arrays, different for everything else."""

from __future__ import annotations

from typing import Any

from bendtorch.grad.lazy import Lazy, Op, apply, constant, leaf, sum_to
from bendtorch.grad.trace import FULL, OFTEN, REPEATED, Trace
from tests.support.arrays import numbers


def traced(*roots: Lazy) -> Trace:
    trace = Trace(roots[0].size)
    trace.follow(list(roots))
    return trace


def array(*shape: int) -> Lazy:
    return leaf(numbers(0, *shape))


def test_the_entries() -> None:
    x, row, two = array(3, 4), array(4), constant(2)
    y = apply(Op.EXP, x)
    z = apply(Op.ADD, apply(Op.MUL, y, row), apply(Op.DIV, y, two))
    trace = traced(z)
    entries = [FULL, Op.EXP, 0, REPEATED, (4,), (3, 4), Op.MUL, 1, 3, REPEATED, (), (12,), Op.DIV, 1, 2, Op.ADD, 4, 5]
    assert sorted(map(str, trace.key)) == sorted(str(int(e) if isinstance(e, Op) else e) for e in entries)
    assert trace.full == [x]
    assert trace.repeated == [two, row]
    assert trace.missing == trace.kept == []
    assert trace.passing[-1] is z


def test_equal_keys() -> None:
    def key(x: Lazy, y: Lazy) -> list[Any]:
        return traced(apply(Op.SUB, apply(Op.EXP, x), apply(Op.EXP, y))).key

    x, y = array(3), array(3)
    assert key(x, y) == key(array(3), array(3)) == key(y, x)
    assert key(x, x) != key(x, y)
    assert key(x, array(1)) != key(x, y)


def test_what_must_be_there_first() -> None:
    x = array(3, 4)
    total, narrow = sum_to(x, (3, 1)), apply(Op.NEG, array(4))
    assert traced(apply(Op.ADD, apply(Op.MUL, x, total), narrow)).missing in ([total, narrow], [narrow, total])
    same = sum_to(array(2, 3, 4), (3, 4))
    assert traced(apply(Op.ADD, x, same)).missing == [same]


def test_what_was_computed_often_is_kept() -> None:
    y = apply(Op.NEG, array(3))
    y.times = OFTEN
    trace = traced(apply(Op.EXP, y))
    assert trace.kept == [y]
    assert y not in trace.passing
