"""What a check found: for each law whether it holds, on how many trials, and a paragraph on each failure."""

from __future__ import annotations

import sysconfig
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from bendtorch.errors import LawError
from bendtorch.laws.law import Difference, Law
from bendtorch.laws.nest import arrays_in, mapped
from bendtorch.laws.trial import NUMBERS, Trial

LATER: Final = ("L26", "L28", "L34", "L35", "L38", "L39", "L40", "L44", "L45", "L49", "L69")
ORDER: Final = {"L33": 0, **dict.fromkeys(LATER, 2)}
"""Which broken laws are said before the others, and which after them: those that name no place, or follow."""

OURS: Final = (str(Path(__file__).parents[1]), *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")), "<frozen")
"""Files whose frames say nothing about a user's code."""

SHOWN: Final = 40  # numbers of an array that a paragraph writes out


@dataclass(frozen=True)
class Failure:
    """A broken law, on the smallest trial that was found for it; `seed` repeats the one it was found on.

    It `comes_and_goes` where the same trial did not break the law again. `also` are the numbers of the other laws for
    which the layer raised the same at the same place.
    """

    law: Law
    trial: Trial
    found: Difference | Exception
    seed: int
    comes_and_goes: bool = False
    explained: str = ""
    also: tuple[str, ...] = ()

    @property
    def raised_at(self) -> str:
        """The place in the user's code where the layer raised, with its line; empty where there is none."""
        frames = traceback.extract_tb(self.found.__traceback__) if isinstance(self.found, Exception) else []
        where = [frame for frame in frames if not frame.filename.startswith(OURS)]
        if not where:
            return ""
        last = where[-1]
        return f"{last.filename}:{last.lineno}, in {last.name}" + (f": {last.line}" if last.line else "")

    @property
    def here(self) -> str:
        """Where the two sides differ, or what the layer raised."""
        if isinstance(self.found, Exception):
            return f"the layer raises {type(self.found).__name__}: {self.found}"
        return str(self.found)

    @property
    def advice(self) -> str:
        """What was found out about the mistake, or what to look for: the place, where the layer raises."""
        if self.explained:
            return f"{self.explained}."
        if isinstance(self.found, Exception):
            at = f"It is raised at {self.raised_at}." if self.raised_at else ""
            also = f"It keeps {', '.join(self.also)} from being compared too." if self.also else ""
            return " ".join(filter(None, (at, also)))
        return f"What to look for: {self.law.hint}." if self.law.hint else ""

    @property
    def repeat(self) -> str:
        """The call that shows it again."""
        return f'check(..., only="{self.law.number}", seed={self.seed}, cases=1)'

    def __str__(self) -> str:
        """One paragraph: which law, which side gave what, where they differ, how to see it again."""
        law, smallest = self.law, "Smallest case found"
        if self.comes_and_goes:
            smallest = "The same case did not show it again: a second call must give equal bits (L33). Case found"
        numbers = "; ".join(f"{name} = {written(value)}" for name, value in numbers_of(self.trial).items())
        sentences = (
            f"{self.trial.layer} breaks {law.number} ({law.name}; {law.strength}): {law.statement}.",
            f"Here {self.here}.",
            self.advice,
            f"{smallest}: {numbers}.",
            f"Repeat it with {self.repeat}.",
        )
        return " ".join(sentence for sentence in sentences if sentence)


def numbers_of(trial: Trial) -> dict[str, Any]:
    """The numbers of a trial that matter: p, x, dy, and those of the others that are not zero."""
    values = {name: getattr(trial, name) for name in NUMBERS}
    return {name: v for name, v in values.items() if name in ("p", "x", "dy") or any(a.any() for a in arrays_in(v))}


def written(value: Any) -> str:
    """A nest as a user would write it; large arrays by their shape."""

    def one(array: Any) -> str:
        if array.size > SHOWN:
            return f"<{array.dtype} of shape {list(array.shape)}>"
        return np.array2string(array, separator=", ", max_line_width=10**6).replace("\n", "")

    return str(mapped(one, value)).replace("'", "")


@dataclass(frozen=True)
class Outcome:
    """What was found of one law: on how many trials it was compared, or why on none, or how it failed."""

    law: Law
    cases: int = 0
    reason: str = ""
    failure: Failure | None = None

    def __str__(self) -> str:
        if self.failure is not None:
            verdict = "FAILED"
        elif self.cases:
            verdict = f"holds on {self.cases} cases"
        else:
            verdict = f"does not apply: {self.reason}"
        return f"{self.law.number:4} {self.law.strength:6} {self.law.name:42} {verdict}"


@dataclass(frozen=True)
class Report:
    """The outcome of every law that was asked for. `str` of it is a table, then a paragraph for each failure."""

    layer: str
    outcomes: tuple[Outcome, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Every broken law. Impure passes come first, as they break other laws too; what only follows comes last."""
        failures = (outcome.failure for outcome in self.outcomes if outcome.failure is not None)
        return tuple(sorted(failures, key=lambda failure: ORDER.get(failure.law.number, 1)))

    @property
    def told(self) -> tuple[Failure, ...]:
        """The failures to write about: L26 goes without saying where L27 names the place, an error is said once."""
        broken = {failure.law.number for failure in self.failures}
        told: dict[object, Failure] = {}
        for failure in self.failures:
            if failure.law.number == "L26" and "L27" in broken:
                continue
            raised = (type(failure.found), failure.raised_at) if failure.raised_at else failure.law.number
            first = told.get(raised)
            told[raised] = failure if first is None else replace(first, also=(*first.also, failure.law.number))
        return tuple(told.values())

    @property
    def applied(self) -> tuple[str, ...]:
        """The numbers of the laws that were compared at least once."""
        return tuple(o.law.number for o in self.outcomes if o.cases or o.failure is not None)

    def raise_if_failed(self) -> Report:
        """The report itself; raises `LawError` with a paragraph for each broken law where there is one."""
        if self.failures:
            raised = [failure.found for failure in self.failures if isinstance(failure.found, Exception)]
            raise LawError("\n\n".join(map(str, self.told))) from (raised[0] if raised else None)
        return self

    def __str__(self) -> str:
        lines = [f"laws of {self.layer}", *(f"  {outcome}" for outcome in self.outcomes)]
        return "\n".join([*lines, *(f"\n{failure}" for failure in self.told)])
