"""Proofs: laws of composition for all layers, laws of indices for all sizes.

    python -m laws.proofs

The combinators that ship are run, as they are, on layers of which nothing is known (`opaque`); what comes out are terms
(`terms`), kept in float32 matrices (`world`). A combinator cannot look inside of its layers, and its passes do nothing
with values but hand them on, pair and add them (`naturality` reads their sources), so terms that are equal for opaque
layers are equal results for all layers. A theorem that does not hold shows the differing terms.

The functions that kernels take their indices from are run, as they are, on numbers of which nothing is known (`whole`),
and the solver z3 decides what follows: where attention's heads are and what a query sees (`heads`), and that chunks and
tiles are disjoint and complete (`tiles`). That the kernels take indices from these functions alone is read in their
sources (`taken`). A theorem that does not hold shows sizes for which it is false. z3 comes with
`pip install bendtorch[proofs]`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from bendtorch.laws.proofs import composition, heads, naturality, parameters, products, taken, tiles, wiring
from bendtorch.laws.proofs.sizes import SizeTheorem
from bendtorch.laws.proofs.theorem import Theorem, Verdict

Provable: TypeAlias = Theorem | SizeTheorem

PARTS: Final = (composition, wiring, products, parameters, naturality, taken)


def _number(theorem: Provable) -> tuple[int, str]:
    digits = theorem.law.removeprefix("L")
    return (int(digits), "") if digits.isdigit() else (0, theorem.law)


COMPOSITION: Final[tuple[Theorem, ...]] = tuple(
    sorted((theorem for part in PARTS for theorem in part.THEOREMS), key=_number)
)
"""What is proved for all layers, by terms: lemmas first, then in the order of the laws' numbers."""

INDICES: Final[tuple[SizeTheorem, ...]] = tuple(sorted((*tiles.THEOREMS, *heads.THEOREMS), key=_number))
"""What is proved for all sizes, by z3."""

THEOREMS: Final[tuple[Provable, ...]] = (*COMPOSITION, *INDICES)
"""Every theorem."""

__all__ = ["COMPOSITION", "INDICES", "THEOREMS", "Provable", "SizeTheorem", "Theorem", "Verdict"]
