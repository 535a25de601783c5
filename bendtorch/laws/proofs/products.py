"""Products, number by number: L18, by polynomials.

A column of the matrices is a point (a, b, d) of the grid {0, 1, 2}³. Results are read as the polynomials, of at most
the second degree in each unknown, that have these values: there is one for each 27 values, so two results that agree
here are the same polynomial in the numbers of any matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np

from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import Sum, Term, one, total
from bendtorch.laws.proofs.theorem import Sides, Theorem

GRID: Final = np.array(list(product((0, 1, 2), repeat=3)), np.float64)  # a point in each row
POWERS: Final = list(product((0, 1, 2), repeat=3))
UNKNOWNS: Final = ("a", "b", "d")


def _matrix(unknown: str) -> Any:
    return GRID[None, :, UNKNOWNS.index(unknown)].astype(np.float32)


def polynomial(array: Any) -> Sum:
    """The polynomial that has these values on the grid, as a sum of monomials."""
    values = np.array([np.prod(GRID**powers, axis=1) for powers in POWERS]).T
    counts = np.linalg.solve(values, np.asarray(array, np.float64).reshape(-1))
    rounded = [Fraction(float(count)).limit_denominator(64) for count in counts]
    return total((Term(_monomial(powers)), count) for powers, count in zip(POWERS, rounded, strict=True))


def _monomial(powers: tuple[int, ...]) -> str:
    factors = [name for name, power in zip(UNKNOWNS, powers, strict=True) for _ in range(power)]
    return "·".join(factors) or "1"


def _multiplied(s: Setting) -> Iterator[Sides]:
    multiply = s.of.Mul2(1, len(GRID))
    forward = multiply.fwd((), (_matrix("a"), _matrix("b")))
    da, db = multiply.bwd((), forward.s, _matrix("d"), ()).dx
    got = {"y": polynomial(forward.y), "da": polynomial(da), "db": polynomial(db)}
    yield "Mul2, and a·b, d·b, d·a", got, {"y": one("a·b"), "da": one("b·d"), "db": one("a·d")}


THEOREMS: Final = (Theorem("L18", "B of Mul2 is (dy·b, dy·a)", _multiplied, "all matrices"),)
