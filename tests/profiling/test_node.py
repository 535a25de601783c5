"""The tree of measurements: steps, calls, totals."""

from __future__ import annotations

from bendtorch.layer import Info
from bendtorch.profiling.flops import Formula
from bendtorch.profiling.node import Clock, Node, Pass, node_of
from bendtorch.shapes.spec import mat_spec

CLOCK = Clock()
SPEC = mat_spec(3, 4)
NONE: dict[str, Formula] = {}


def test_the_calls_of_a_step_add_up() -> None:
    clock = Clock()
    one = Pass(clock)
    one.add(0.5)  # before the first step begins: an evaluation, say
    clock.step = 1
    one.add(0.5)
    clock.step = 4
    one.add(2.0)
    one.add(3.0)
    assert one.seconds == [1.0, 0.0, 0.0, 5.0]
    assert one.calls == 2
    assert one.median == 0.5
    one.forget()
    assert one.median == 0.0


def leaf(name: str, flops: float | None, calls: int) -> Node:
    one = node_of(Info(name, {"n": 3}, SPEC, SPEC), 0, (), CLOCK, NONE)
    one.forward.flops, one.forward.traffic, one.forward.calls = flops, 10.0, calls
    return one


def test_totals_are_the_parts_and_what_a_combinator_adds() -> None:
    parts = leaf("ReLU", 5.0, 1), leaf("ReLU", 7.0, 2)
    whole = node_of(Info("Residual", takes=SPEC, gives=SPEC), 0, parts, CLOCK, NONE)
    whole.forward.calls = 1
    assert whole.flops(backward=False) == 5 + 2 * 7 + 12
    assert whole.traffic(backward=False) == 3 * 10 + 12 * 12
    assert [node.name for node in whole.every()] == ["Residual", "ReLU(3)", "ReLU(3)"]


def test_a_total_with_an_unknown_part_is_unknown() -> None:
    whole = node_of(Info("Seq", takes=SPEC, gives=SPEC), 0, (leaf("ReLU", 5.0, 1), leaf("Own", None, 1)), CLOCK, NONE)
    assert whole.flops(backward=False) is None
    assert whole.traffic(backward=False) == 20
