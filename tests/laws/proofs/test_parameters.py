"""Parameters of composites: a wrong step, dump or count is refuted."""

from __future__ import annotations

from bendtorch.laws.proofs.parameters import THEOREMS
from tests.support.planted import Fault, check_refuted, refuted_by


@refuted_by(*THEOREMS)
def test_a_fault_is_refuted(fault: Fault) -> None:
    check_refuted(fault, THEOREMS)
