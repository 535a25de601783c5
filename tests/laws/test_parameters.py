"""The laws of parameters find what breaks them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bendtorch import Dropout, Linear, ReLU
from bendtorch.laws import examine
from bendtorch.laws.law import NotHereError
from bendtorch.laws.parameters import CONCATENATES, COUNTS, RESTORES
from bendtorch.laws.trial import draw
from tests.support.mutants import EXPECTED, faults, mutant

NUMBERS = ("L46", "L47", "L48")
linear: Any = Linear


@pytest.mark.parametrize("fault", faults(*NUMBERS))
def test_each_finds_its_faults(fault: str) -> None:
    numbers = {failure.law.number for failure in examine(mutant(fault), only=NUMBERS).failures}
    assert EXPECTED[fault] in numbers


@pytest.mark.parametrize("layer", [Linear(2, 3, 4), ReLU(2, 3), Dropout(2, 3, 0.5, 1), Linear(1, 2, 2) >> ReLU(1, 2)])
def test_each_holds_where_nothing_is_wrong(layer: Any) -> None:
    assert examine(layer, only=NUMBERS).applied == NUMBERS
    assert examine(layer, only=NUMBERS).failures == ()


def test_every_bit_is_restored() -> None:
    """Also that of a NaN."""
    layer = linear(1, 1, 1)

    def load(p: Any, flat: Any, offset: int) -> int:
        end: int = layer.load(p, np.where(np.isnan(flat), np.float32(np.nan), flat), offset)
        return end

    trial = replace(draw(layer, 0), layer=replace(layer, load=load))
    assert RESTORES.compare(trial) is None
    trial.p.weight.view(np.uint32)[...] = 0x7FC00001
    assert RESTORES.compare(trial) is not None


class Hidden:
    """Parameters that keep their arrays to themselves."""

    def __init__(self, p: Any) -> None:
        self.inside = p


def test_parameters_whose_arrays_cannot_be_seen() -> None:
    layer = linear(2, 3, 4)
    hiding = replace(
        layer,
        zeros=lambda: Hidden(layer.zeros()),
        dump=lambda p: layer.dump(p.inside),
        load=lambda p, flat, offset: layer.load(p.inside, flat, offset),
        store=lambda p, flat, offset: layer.store(p.inside, flat, offset),
        view=None,
        fwd=lambda p, x: layer.fwd(p.inside, x),
    )
    trial = draw(hiding, 0)
    assert layer.dump(trial.p.inside).any()
    assert RESTORES.compare(trial) is None
    assert COUNTS.compare(trial) is None
    with pytest.raises(NotHereError, match="of a type whose arrays cannot be seen"):
        CONCATENATES.compare(trial)
