"""Wiring on values of any type, and layers that fit before and after one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Attention, Embedding, Linear
from bendtorch.laws.law import NotHereError
from bendtorch.laws.neighbours import adding, after, before, copying, identity, known, mat_of, mat_or_none, swapping
from bendtorch.laws.trial import draw
from bendtorch.layer import Info, make_layer, no_params
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.arrays import all_same_bits

MAT: Any = mat_spec(2, 3)
IDS: Any = ids_spec(2, below=5)
SPECS: list[Any] = [MAT, IDS, (MAT, IDS), (MAT, (MAT, IDS)), (), (MAT, MAT, MAT)]
attention: Any = Attention
embedding: Any = Embedding
linear: Any = Linear


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_wiring_on_any_value(spec: Any) -> None:
    same, copy, total, swap = identity(spec), copying(spec), adding(spec), swapping(spec, MAT)
    trial = draw(same, 1)
    assert all_same_bits(same.fwd(trial.p, trial.x).y, trial.x)
    assert all_same_bits(copy.fwd((), trial.x).y, (trial.x, trial.x))
    assert total.info.takes == (spec, spec)
    assert total.info.gives == copy.info.takes == spec
    other = np.zeros((2, 3), np.float32)
    assert all_same_bits(swap.fwd((), (trial.x, other)).y, (other, trial.x))


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_neighbours_fit(spec: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    assert after(spec, generator).info.takes == spec
    assert before(spec, generator).info.gives == spec
    assert before(spec, generator, input_gradient=False).count() == 0


def test_the_first_matrix_of_a_layer() -> None:
    assert mat_of(draw(linear(2, 3, 4), 0)) == MAT
    assert mat_of(draw(embedding(2, 3, 4), 0)) == mat_spec(2, 4)
    assert mat_of(draw(attention(1, 2, 1, 2, 3), 0)) == mat_spec(2, 6)
    assert mat_or_none((MAT, MAT)) is None
    nothing: Any = make_layer(no_params(), lambda p, x: x, lambda p, s, dy, g: g, Info("Ids", {}, IDS, IDS))
    with pytest.raises(NotHereError, match="neither takes nor gives a matrix"):
        mat_of(draw(nothing, 0))
    with pytest.raises(NotHereError, match="does not say what it takes and gives"):
        known(None)
