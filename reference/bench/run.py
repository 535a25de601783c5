"""Running rows: both sides on the same number of threads, again where other processes got in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from rich.console import Console

from bendtorch.kernels import pool
from reference.bench.limits import Limits, measure
from reference.bench.neighbours import disturbed, quietest
from reference.bench.registry import Family, Row
from reference.bench.report import Result, results, table
from reference.bench.timing import FULL, FULL_PROCESS, QUICK, QUICK_PROCESS, interleave


@dataclass(frozen=True)
class Runner:
    """How to run: where to print, with which numbers of threads, how long, and how often again when disturbed."""

    console: Console
    threads: Sequence[int]
    quick: bool
    patience: int

    def limits(self) -> list[Limits]:
        """Measure what the machine can do."""
        found = []
        for count in self.threads:
            limit, share = quietest(partial(measure, count), self.patience)
            note = "   [yellow](beside other busy processes)[/]" if disturbed(share) else ""
            self.console.print(f"{limit}{note}")
            found.append(limit)
        self.console.print()
        return found

    def families(self, chosen: Sequence[Family], limits: Sequence[Limits]) -> list[Result]:
        """Measure all chosen rows; each family's table appears as it is done."""
        found: list[Result] = []
        for family in chosen:
            lines: list[Result] = []
            for row in (row for row in family.rows if not (self.quick and row.long)):
                with self.console.status(f"{family.name}/{row.name}"):
                    lines += self.row(family.name, row, limits)
            self.console.print(table(family.name, lines), "")
            found += lines
        return found

    def row(self, family: str, row: Row, limits: Sequence[Limits]) -> Iterator[Result]:
        """Measure one row: at each number of threads, or once where it starts processes."""
        calls = row.prepare().calls()
        if row.whole_process:
            plan = QUICK_PROCESS if self.quick else FULL_PROCESS
            yield from results(family, row, None, *quietest(partial(interleave, calls, plan), self.patience))
            return
        plan = QUICK if self.quick else FULL
        for limit in limits:
            pool.set_threads(limit.threads)
            torch.set_num_threads(limit.threads)
            yield from results(family, row, limit, *quietest(partial(interleave, calls, plan), self.patience))
