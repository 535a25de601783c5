"""What came of a run: what finds how many faults of which kind, and which are neither found nor explained."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from laws.mutants.edits import KINDS
from laws.mutants.judge import RAISED
from laws.mutants.run import STOPPED, Outcome

SURVIVORS: Final = Path(__file__).with_name("survivors.toml")
LEAST: Final = 0.95  # of the faults that change a result


def explained() -> dict[str, str]:
    """The faults that are known to be none, each with the reason: no result changes."""
    known: dict[str, str] = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))["equivalent"]
    return known


@dataclass(frozen=True)
class Result:
    """A fault, its kind, and what found it."""

    key: str
    kind: str
    found: str

    @property
    def laws(self) -> list[str]:
        """The laws that are broken."""
        return [] if self.found.startswith((RAISED, STOPPED)) else self.found.split(",")[0].split()


def results_of(outcomes: Sequence[Outcome]) -> list[Result]:
    """What came of each fault."""
    return [Result(o.task.edit.key, o.task.edit.kind, o.found) for o in outcomes if o.task.edit is not None]


def summary(results: Sequence[Result], known: dict[str, str], *, whole: bool) -> tuple[str, bool]:
    """The text at the end of a run, and whether it failed.

    It fails where fewer than `LEAST` are found of the faults that change a result, or where an explanation is wrong or,
    in a `whole` run, of no use.
    """
    same = [r for r in results if not r.found and r.key in known]
    missed = [r for r in results if not r.found and r.key not in known]
    real = len(results) - len(same)
    by_law = [r for r in results if r.laws]
    share, compared = (real - len(missed)) / max(real, 1), len(by_law) / max(len(by_law) + len(missed), 1)
    stale = sorted(known.keys() - {r.key for r in results}) if whole else []
    wrong = [r.key for r in results if r.found and r.key in known]
    lines = [
        "",
        f"{len(results)} faults: {real - len(missed)} found, {len(same)} change no result, {len(missed)} missed",
        f"{share:.1%} of those that change a result are found",
        f"{compared:.1%} of those after which results can be compared at all",
        *_kinds(results),
        "laws that find them: " + ", ".join(f"{law} {count}" for law, count in _by_law(results)),
        *(f"missed: {r.key}" for r in missed),
        *(f"no longer planted: {key}" for key in stale),
        *(f"said to change no result, but found: {key}" for key in wrong),
    ]
    return "\n".join(lines) + "\n", share < LEAST or bool(stale or wrong)


def _kinds(results: Sequence[Result]) -> Iterator[str]:
    """A table: of each kind, how many faults, and what found them."""
    yield f"{'':22}{'faults':>8}{'by law':>8}{'error':>8}{'stopped':>8}{'left':>8}"
    for kind in (*KINDS, "all"):
        own = [r for r in results if kind in (r.kind, "all")]
        ways = [sum(r.found.startswith(way) for r in own) for way in (RAISED, STOPPED)]
        counts = (len(own), sum(bool(r.laws) for r in own), *ways, sum(not r.found for r in own))
        yield f"{kind:22}" + "".join(f"{count:8}" for count in counts)


def _by_law(results: Sequence[Result]) -> list[tuple[str, int]]:
    return Counter(law for r in results for law in r.laws).most_common()
