"""The matrix of reports: a row for each law, a column for each layer, and what a cell says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bendtorch.laws.catalogue import place_of
from bendtorch.laws.law import EXACT
from bendtorch.laws.report import Outcome, Report

BROKEN: Final = "✗"
HOLDS_EXACTLY: Final = "="
HOLDS_CLOSELY: Final = "≈"
SILENT: Final = "·"
LEGEND: Final = (
    (HOLDS_EXACTLY, "holds bit for bit on every case"),
    (HOLDS_CLOSELY, "holds up to rounding on every case"),
    (BROKEN, "broken"),
    (SILENT, "does not apply"),
)


def mark(outcome: Outcome | None) -> str:
    """What a cell shows; nothing where the law was not asked for."""
    if outcome is None:
        return ""
    if outcome.failure is not None:
        return BROKEN
    if not outcome.cases:
        return SILENT
    return HOLDS_EXACTLY if outcome.law.strength == EXACT else HOLDS_CLOSELY


def explained(outcome: Outcome) -> str:
    """What a cell says at length."""
    if outcome.failure is not None:
        return f"broken, on case {outcome.cases}"
    if not outcome.cases:
        return f"does not apply: {outcome.reason}"
    return f"{outcome.law.strength} on {outcome.cases} cases"


def rows(reports: Sequence[Report]) -> Iterator[tuple[str, str, list[Outcome | None]]]:
    """Each law's number and name, with its outcome in each report, in the order of the numbers."""
    laws = {(o.law.number, o.law.name) for report in reports for o in report.outcomes}
    for number, name in sorted(laws, key=lambda law: (place_of(law[0]), law[1])):
        found = [{(o.law.number, o.law.name): o for o in report.outcomes} for report in reports]
        yield number, name, [outcomes.get((number, name)) for outcomes in found]


def verdict(reports: Sequence[Report]) -> str:
    """The last line: how many laws hold, and are broken."""
    held = sum(len(report.applied) - len(report.failures) for report in reports)
    broken = sum(len(report.failures) for report in reports)
    layers = f"{len(reports)} layer{'' if len(reports) == 1 else 's'}"
    return f"{held} laws hold, {broken} broken ({layers})" if broken else f"all {held} laws hold ({layers})"
