"""The report: lines, the table's text, units, shares of the limit."""

from __future__ import annotations

import pytest

from bendtorch.layer import Info
from bendtorch.profiling.flops import Formula
from bendtorch.profiling.limits import Limits
from bendtorch.profiling.node import Clock, Node, Pass, node_of
from bendtorch.profiling.report import Profile, Work, show_amount, show_limit, show_seconds, work_of
from bendtorch.shapes.spec import mat_spec

LIMITS = Limits(threads=2, flops=100e9, read=20e9, triad=25e9)
SPEC = mat_spec(3, 4)
NONE: dict[str, Formula] = {}


def measured(name: str, seconds: float, clock: Clock, parts: tuple[Node, ...] = ()) -> Node:
    node = node_of(Info(name, takes=SPEC, gives=SPEC), 0, parts, clock, NONE)
    for one in (node.forward, node.backward):
        one.add(seconds)
        one.traffic = 0.0 if parts else 96.0
    return node


def example(limits: Limits | None = LIMITS) -> Profile:
    clock = Clock(1)
    root = measured("Seq", 3e-3, clock, (measured("Tanh", 1e-3, clock), measured("Own", 2e-3, clock)))
    loss = Pass(clock, flops=288.0, traffic=96.0)
    loss.add(4e-3)
    return Profile(root, {"CrossEntropy(3, 4)": loss}, limits)


def test_lines_are_the_tree_then_the_rest() -> None:
    found = example()
    assert [(line.depth, line.name) for line in found.lines()] == [
        (0, "Seq"),
        (1, "Tanh"),
        (1, "Own"),
        (0, "CrossEntropy(3, 4)"),
    ]
    assert found.steps == 1
    assert found.seconds == pytest.approx(6e-3 + 4e-3)
    assert found.lines()[1].forward == Work(1e-3, 37 * 12, 96)
    assert found.lines()[0].forward.flops is None
    assert found.lines()[3].backward is None


def test_the_table_in_words() -> None:
    lines = str(example()).splitlines()
    words = [line.replace("┃", " ").replace("│", " ").split() for line in lines]
    assert words[0] == ["layer", "calls", "forward", "backward", "step", "FLOPs", "bytes", "limit", "limit", "back"]
    assert words[2] == ["Seq", "1", "3", "ms", "3", "ms", "60.0", "%", "?", "384", "B"]
    assert words[3][0] == "├─"
    assert words[4][:3] == ["└─", "Own", "1"]
    assert "?" in words[4]
    assert words[5][:5] == ["CrossEntropy(3,", "4)", "1", "4", "ms"]
    assert "medians of 1 step, 10 ms each; limits, 2 threads:" in str(example())
    assert "without compiled code" in str(example(None))


def test_units() -> None:
    assert [show_seconds(value) for value in (2.0, 1.23e-3, 4.5e-6, 0.0)] == ["2 s", "1.23 ms", "4.5 µs", "0 µs"]
    assert [show_seconds(value) for value in (9.996e-4, 9.994e-4, 0.9996)] == ["1 ms", "999 µs", "1 s"]
    assert [show_seconds(value) for value in (999.4, 999.6, 1234.5, 1e7)] == ["999 s", "1000 s", "1234 s", "10000000 s"]
    assert [show_amount(value, "B") for value in (999, 999.6, 999_600)] == ["999 B", "1 kB", "1 MB"]
    assert [show_amount(value, "B") for value in (None, 0, 12, 1.5e9)] == ["?", "0 B", "12 B", "1.5 GB"]
    assert show_amount(2e6, "") == "2 M"


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (Work(1.0, 50e9, 1e9), "50 % FMA"),
        (Work(1.0, 1e9, 5e9), "20 % memory"),
        (Work(1.0, None, 5e9), ""),
        (Work(0.0, 1e9, 5e9), ""),
        (Work(1.0, 0, 0), ""),
    ],
)
def test_the_share_is_of_the_limit_that_counts(work: Work, text: str) -> None:
    assert show_limit(work, LIMITS) == text
    assert show_limit(work, None) == ""


def test_amounts_of_a_pass_are_those_of_its_calls() -> None:
    one = Pass(Clock(1), flops=3.0)
    one.add(1.0)
    one.add(1.0)
    assert work_of(one) == Work(2.0, 6.0, None)
