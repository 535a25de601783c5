"""A theorem: a law as pairs of sides, which must be equal as terms; and what came of proving it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import Value, differences

Sides: TypeAlias = tuple[str, Mapping[str, Value], Mapping[str, Value]]
"""What is compared, and the two sides."""


@dataclass(frozen=True)
class Verdict:
    """Whether a theorem holds, from how many comparisons, and the differing terms where it does not."""

    theorem: Any
    compared: int
    refutation: str = ""

    @property
    def proved(self) -> bool:
        """Whether it holds."""
        return not self.refutation and self.compared > 0

    def __str__(self) -> str:
        if self.proved:
            return f"{self.theorem}: proved for {self.theorem.scope}"
        return f"{self.theorem}: not proved\n{self.refutation or 'nothing was compared'}"


@dataclass(frozen=True)
class Theorem:
    """A law, for what it is proved, and a function that gives its sides.

    `given` are the laws of the opaque layers that the proof uses.
    """

    law: str
    statement: str
    sides: Callable[[Setting], Iterable[Sides]]
    scope: str = "all layers"
    given: str = ""

    def __str__(self) -> str:
        return f"{self.law} {self.statement}"

    def verdict(self, of: Any = None) -> Verdict:
        """Run the combinators on symbols and compare the terms. `of` are other combinators than the shipped ones."""
        compared = 0
        try:
            for what, one, other in self.sides(Setting(of)):
                compared += 1
                found = differences(one, other)
                if found:
                    return Verdict(self, compared, "\n".join([what, *map(str, found)]))
        except Exception as error:
            return Verdict(self, compared, f"{type(error).__name__}: {error}")
        return Verdict(self, compared)
