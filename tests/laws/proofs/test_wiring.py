"""Wiring: a wrong layer is refuted by the law that it breaks."""

from __future__ import annotations

from bendtorch.laws.proofs.wiring import THEOREMS
from tests.support.planted import Fault, check_refuted, refuted_by


@refuted_by(*THEOREMS)
def test_a_fault_is_refuted(fault: Fault) -> None:
    check_refuted(fault, THEOREMS)
