"""What was measured, as lines and as a table: each layer's time, FLOPs, bytes, and how near it came to the limit.

The limit of a piece of work is the time that its FLOPs take at the machine's FMA peak, or its bytes at its bandwidth,
whichever is longer. A share near 100 % says that nothing is left to gain but by doing less; above, that the data came
from a cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table

from bendtorch.profiling.limits import Limits
from bendtorch.profiling.node import Node, Pass

WIDTH: Final = 130
TIMES: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
AMOUNTS: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Work:
    """One pass over a step: median seconds, FLOPs and bytes (None where not known)."""

    seconds: float
    flops: float | None
    traffic: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """A layer (or the loss, or the optimizer): how deep it stands, how often it is called in a step, its passes."""

    depth: int
    name: str
    calls: int
    forward: Work
    backward: Work | None

    @property
    def seconds(self) -> float:
        """Of both passes."""
        return self.forward.seconds + (self.backward.seconds if self.backward else 0.0)


@dataclass(frozen=True)
class Profile:
    """The measured steps: the tree of layers, the loss and the optimizer by name, and the machine's limits.

    `print(profile)` shows it; `lines()` are its numbers.
    """

    root: Node
    rest: dict[str, Pass]
    limits: Limits | None

    @property
    def steps(self) -> int:
        """How many steps were measured."""
        return len(self.root.forward.seconds)

    def lines(self) -> list[Line]:
        """The layers from the outside to the inside, in their order, then what is no layer."""
        rest = (Line(0, name, one.calls, work_of(one), None) for name, one in self.rest.items())
        return [*_lines(self.root, 0), *rest]

    @property
    def seconds(self) -> float:
        """A step's: of the model, the loss and the optimizer."""
        return sum(line.seconds for line in self.lines() if line.depth == 0)

    def table(self) -> Table:
        """A row for each line."""
        shown = Table(title=None, show_edge=False, pad_edge=False)
        shown.add_column("layer", no_wrap=True)
        for heading in ("calls", "forward", "backward", "step", "FLOPs", "bytes", "limit", "limit back"):
            shown.add_column(heading, justify="right", no_wrap=True)
        whole, names = self.seconds, self._names()
        for name, line in zip(names, self.lines(), strict=True):
            shown.add_row(name, *self._cells(line, whole))
        shown.caption = f"medians of {self.steps} step{'s' * (self.steps != 1)}, {show_seconds(whole)} each" + (
            f"; {self.limits}" if self.limits else "; without compiled code there is no limit to compare with"
        )
        return shown

    def _names(self) -> list[str]:
        return [*_drawn(self.root, "", ""), *self.rest]

    def _cells(self, line: Line, whole: float) -> list[str]:
        back = line.backward
        flops = _sum(line.forward.flops, back.flops if back else 0)
        traffic = _sum(line.forward.traffic, back.traffic if back else 0)
        return [
            str(line.calls),
            show_seconds(line.forward.seconds),
            show_seconds(back.seconds) if back else "",
            f"{100 * line.seconds / whole:.1f} %" if whole > 0 else "",
            show_amount(flops, ""),
            show_amount(traffic, "B"),
            show_limit(line.forward, self.limits),
            show_limit(back, self.limits) if back else "",
        ]

    def __rich__(self) -> Table:
        return self.table()

    def __str__(self) -> str:
        text = StringIO()
        Console(file=text, width=WIDTH).print(self.table())
        return text.getvalue().rstrip("\n")


def work_of(one: Pass) -> Work:
    """What a pass that is no layer's did in a step."""
    flops, traffic = (None if amount is None else amount * one.calls for amount in (one.flops, one.traffic))
    return Work(one.median, flops, traffic)


def _lines(node: Node, depth: int) -> Iterator[Line]:
    forward = Work(node.forward.median, node.flops(False), node.traffic(False))
    backward = Work(node.backward.median, node.flops(True), node.traffic(True))
    yield Line(depth, node.name, node.forward.calls, forward, backward)
    for part in node.parts:
        yield from _lines(part, depth + 1)


def _drawn(node: Node, first: str, rest: str) -> Iterator[str]:
    """The names with the tree's branches before them."""
    yield f"{first}{node.name}"
    for place, part in enumerate(node.parts):
        last = place == len(node.parts) - 1
        yield from _drawn(part, f"{rest}{'└─ ' if last else '├─ '}", f"{rest}{'   ' if last else '│  '}")


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def show_seconds(seconds: float) -> str:
    """A time in the unit that suits it when it is rounded: `12.3 µs`; long ones in whole seconds."""
    if seconds >= 999.5:
        return f"{seconds:.0f} s"
    size, unit = next((u for u in TIMES if float(f"{seconds:.3g}") >= u[0]), TIMES[-1])
    return f"{seconds / size:.3g} {unit}"


def show_amount(amount: float | None, unit: str) -> str:
    """A number with the prefix that suits it: `1.23 G`; `?` where it is not known."""
    if amount is None:
        return "?"
    size, prefix = next((a for a in AMOUNTS if float(f"{amount:.3g}") >= a[0]), (1.0, ""))
    return f"{amount / size:.3g} {prefix}{unit}".rstrip()


def show_limit(work: Work, limits: Limits | None) -> str:
    """The share of the limit, and which limit it is: `62 % memory`, `81 % FMA`."""
    if limits is None or work.flops is None or work.traffic is None or work.seconds <= 0:
        return ""
    least = limits.least_seconds(work.flops, work.traffic)
    kind = "FMA" if work.flops / limits.flops > work.traffic / limits.bandwidth else "memory"
    return f"{100 * least / work.seconds:.0f} % {kind}" if least > 0 else ""
