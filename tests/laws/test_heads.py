"""The sizes that the laws of attention take from a layer, and inputs of which some numbers are others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Attention, ReLU
from bendtorch.laws.heads import Heads, changed
from bendtorch.laws.law import NotHereError
from bendtorch.laws.trial import draw

attention: Any = Attention
relu: Any = ReLU


def test_sizes_are_those_that_the_layer_names() -> None:
    trial = draw(attention(2, 5, 3, 4, 1), 0)
    heads = Heads.of(trial, "t", "kv", "g", "hd")
    assert heads == Heads(b=2, t=5, kv=3, g=4, hd=1)
    assert heads.at(trial.dy).shape == (2, 5, 12)
    with pytest.raises(NotHereError, match="do not name t"):
        Heads.of(draw(relu(2, 3), 0), "t")


def test_numbers_are_changed_in_a_copy_and_ids_stay() -> None:
    ids, x = np.arange(2), np.zeros((2, 2), np.float32)

    def change(place: int, array: Any) -> None:
        array += place + 1

    one, (two, three) = changed((x, (ids, x)), change)
    assert [one.max(), three.max(), x.max()] == [1, 2, 0]
    assert np.array_equal(two, ids)
