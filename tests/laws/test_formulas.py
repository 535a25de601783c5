"""The steps of an optimizer find another formula, at first or later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import SGD, Adam, AdamW, Momentum
from bendtorch.laws.formulas import followed
from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L41")
test_each_part_finds_its_fault = finds("L41 of later steps", faults=PARTS)


@pytest.mark.parametrize(
    ("optimizer", "wanted"),
    [
        (SGD(0.5), [1.5, 1.0]),
        (SGD(0.5, weight_decay=0.5), [1.0, 0.25]),
        (Momentum(0.5, momentum=0.5), [1.5, 0.75]),
        (Momentum(0.5, momentum=0.5, nesterov=True), [1.25, 0.375]),
        (Adam(0.5), [1.5, 1.0]),
        (AdamW(0.5, weight_decay=1.0), [0.5, -0.25]),
    ],
)
def test_formulas(optimizer: Any, wanted: list[float]) -> None:
    """From 2, twice with a gradient of 1."""
    ones = np.ones(1)
    assert [float(w[0]) for w in followed(optimizer, 2 * ones, [ones, ones])] == pytest.approx(wanted, abs=1e-6)
