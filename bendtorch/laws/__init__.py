"""The laws of layers, as a tool: `check(MyLayer)` in a test checks every law that applies to a layer of one's own.

    from bendtorch.laws import check

    def test_laws() -> None:
        check(lambda n, d: Scale(n, d))

Laws are known by number everywhere (`L24`); `LAWS` lists those that can be checked on any layer. Each is compared on
generated sizes, parameters, inputs and cotangents; what fails is shrunk and said in a paragraph.
"""

from __future__ import annotations

from bendtorch.laws.catalogue import COMPOSITION, ELSEWHERE, LAWS, Elsewhere
from bendtorch.laws.check import check, examine
from bendtorch.laws.law import Difference, Law
from bendtorch.laws.report import Failure, Outcome, Report
from bendtorch.laws.suite import law_suite

__all__ = [
    "COMPOSITION",
    "ELSEWHERE",
    "LAWS",
    "Difference",
    "Elsewhere",
    "Failure",
    "Law",
    "Outcome",
    "Report",
    "check",
    "examine",
    "law_suite",
]
