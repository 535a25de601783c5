"""A theorem on indices: claims on what the kernels' index functions give, for all sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bendtorch.laws.proofs.plain import plain_kernels
from bendtorch.laws.proofs.theorem import Verdict
from bendtorch.laws.proofs.whole import Reasoning, every_way


@dataclass(frozen=True)
class SizeTheorem:
    """A law of indices, and a function that claims it of unknown numbers."""

    law: str
    statement: str
    claims: Callable[[Reasoning, Any], None]
    scope: str = "all sizes"
    given: str = ""

    def __str__(self) -> str:
        return f"{self.law} {self.statement}"

    def verdict(self, of: Any = None) -> Verdict:
        """Run the functions on every way through their branches. `of` are other functions than the shipped ones."""
        functions = plain_kernels() if of is None else of
        try:
            return Verdict(self, every_way(lambda at: self.claims(at, functions)))
        except Exception as error:
            return Verdict(self, 0, f"{type(error).__name__}: {error}")
