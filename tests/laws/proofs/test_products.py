"""Products: polynomials are read off values; a wrong product is refuted."""

from __future__ import annotations

import numpy as np

from bendtorch.laws.proofs.products import GRID, THEOREMS, polynomial
from tests.support.planted import Fault, check_refuted, refuted_by


@refuted_by(*THEOREMS)
def test_a_fault_is_refuted(fault: Fault) -> None:
    check_refuted(fault, THEOREMS)


def test_polynomials_are_read_off_their_values() -> None:
    a, b, d = GRID.T
    assert str(polynomial(a * b)) == "a·b"
    assert str(polynomial(3 * d * d - a / 2 + 1)) == "1 + -1/2·a + 3·d·d"
    assert str(polynomial(np.zeros(len(GRID)))) == "0"
    assert polynomial(a * b) != polynomial(np.minimum(a, b))
