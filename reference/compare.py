"""The judge: our float32 results beside PyTorch's, both measured against float64.

A `Case` is one kind of input. It is drawn several times, from seeds 0, 1, 2, …; each draw gives every quantity three
times: ours, PyTorch's in float32, and PyTorch's in float64 on the same numbers. For each quantity the judge asks

1. do ours and PyTorch's have one shape, and NaN and the infinities in the same places?
2. is our error, pooled over the draws, at most 1.1 times PyTorch's?
3. is our largest error at most three times PyTorch's largest (or two roundings)?
4. is our largest error within the case's own tolerance, whatever PyTorch's is?

Two float32 results of equal quality differ by luck, so the second question is asked until its answer is certain: draws
are added until the ratio of the errors is two standard errors below 1.1 or three above it, or the case's number of
draws is used up; who is not shown to be worse by then passes. A blame takes more certainty than an acquittal because
the question is asked again and again; and it is not asked before there are a thousand numbers or sixteen draws, because
a standard error from a few numbers is itself a matter of luck. So an equal result is hardly ever blamed by chance, and
with fixed seeds a machine always gives the same verdict. Errors below 0.6 roundings, which a correctly rounded result
may have, count as 0.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rich.table import Table

from reference.errors import Array, Errors, comparable, measure, pooled, ratio, same_pattern

Results: TypeAlias = Mapping[str, Array]

WORSE: Final = 1.1  # times PyTorch's error
ACQUITTED: Final = 2.0  # standard errors below that
BLAMED: Final = 3.0  # standard errors above it
NUMBERS: Final = 1000
DRAWS: Final = 16
WORST: Final = 3.0  # times PyTorch's largest error
CORRECT: Final = 2.0  # roundings that a largest error may always have


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a case: every quantity three times, and the size of the terms that each was summed from."""

    ours: Results
    theirs: Results
    exact: Results
    scale: Results = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One kind of input: its name, its draws, how many of them at least and at most.

    `tolerance` is in roundings: the largest error that a correct float32 evaluation of this case may have.
    """

    name: str
    draw: Callable[[int], Draw]
    tolerance: float
    least: int = 4
    most: int = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `fault` says what is wrong, and is empty where nothing is."""

    case: str
    quantity: str
    ours: str
    theirs: str
    ratio: str = ""
    draws: int = 1
    fault: str = ""


@dataclass
class Pool:
    """The errors of one quantity over the draws so far."""

    ours: list[Errors] = field(default_factory=list)
    theirs: list[Errors] = field(default_factory=list)
    numbers: int = 0
    fault: str = ""

    def add(self, ours: Array, theirs: Array, exact: Array, scale: Array | None) -> None:
        """One more draw."""
        if not ours.shape == theirs.shape == exact.shape:
            self.fault = f"shape {list(ours.shape)}, PyTorch's {list(theirs.shape)}"
            return
        if not same_pattern(ours, theirs, exact):
            self.fault = "NaN or infinity in other places than PyTorch's"
        where = comparable(ours, theirs, exact)
        self.numbers += where.size
        self.ours.append(measure(ours, exact, scale, where))
        self.theirs.append(measure(theirs, exact, scale, where))

    def decided(self) -> bool:
        """Whether more draws would not change the answer."""
        if self.fault:
            return True
        if self.numbers < NUMBERS and len(self.ours) < DRAWS:
            return False
        times, spread = ratio(self.ours, self.theirs)
        return times + ACQUITTED * spread < WORSE or times - BLAMED * spread > WORSE

    def judge(self, tolerance: float) -> str:
        """What is wrong with our errors; empty where nothing is."""
        if self.fault:
            return self.fault
        ours, theirs = pooled(self.ours), pooled(self.theirs)
        times, spread = ratio(self.ours, self.theirs)
        if not ours.worst <= tolerance:
            return f"off by {ours.worst:.3g} roundings, {tolerance:.3g} allowed"
        if times - BLAMED * spread > WORSE:
            return f"{times:.2f} times PyTorch's error"
        if ours.worst > max(CORRECT, WORST * theirs.worst):
            return f"worst element off by {ours.worst:.3g} roundings, PyTorch's by {theirs.worst:.3g}"
        return ""

    def row(self, case: Case, quantity: str) -> Row:
        """The verdict as a line of the table."""
        if not self.ours:
            return Row(case.name, quantity, "", "", fault=self.fault)
        times, spread = ratio(self.ours, self.theirs)
        shown = f"{times:.2f} ± {spread:.2f}"
        ours, theirs = str(pooled(self.ours)), str(pooled(self.theirs))
        return Row(case.name, quantity, ours, theirs, shown, len(self.ours), self.judge(case.tolerance))


def judge(case: Case) -> list[Row]:
    """The verdicts on one case, one for each quantity."""
    pools: dict[str, Pool] = {}
    look = case.least
    for seed in range(case.most):
        draw = case.draw(seed)
        if not draw.ours.keys() == draw.theirs.keys() == draw.exact.keys():
            raise ValueError(f"{case.name}: ours has {sorted(draw.ours)}, PyTorch has {sorted(draw.theirs)}")
        for name in draw.exact:
            pool = pools.setdefault(name, Pool())
            pool.add(draw.ours[name], draw.theirs[name], draw.exact[name], draw.scale.get(name))
        if seed + 1 >= look:
            if all(pool.decided() for pool in pools.values()):
                break
            look += 1 + look // 5
    return [pool.row(case, name) for name, pool in pools.items()]


def judge_all(cases: Sequence[Case]) -> Iterator[Row]:
    """The verdicts on all cases."""
    for case in cases:
        yield from judge(case)


def table(title: str, rows: Sequence[Row]) -> Table:
    """The rows as a table. Errors are in roundings: root mean square (largest)."""
    result = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim", padding=(0, 2))
    for heading in ("case", "quantity"):
        result.add_column(heading, no_wrap=True)
    for heading in ("ours", "PyTorch", "ratio", "draws"):
        result.add_column(heading, justify="right", no_wrap=True)
    result.add_column("verdict")
    for row in rows:
        verdict = f"[bold red]{row.fault}[/]" if row.fault else "[green]ok[/]"
        result.add_row(row.case, row.quantity, row.ours, row.theirs, row.ratio, str(row.draws), verdict)
    return result
