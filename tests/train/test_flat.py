"""Buffers of a whole model, and their views as the layers see them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.combine import Seq
from bendtorch.layers import LinearNB
from bendtorch.optim.state import PackedMoments
from bendtorch.train.flat import flatten
from tests.support.arrays import as_lists, same_bits, snapshot
from tests.support.chains import lists_of_layers
from tests.support.params import OPTIMIZERS, random_like
from tests.support.sizes import seeds

NB: Any = LinearNB


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
@given(layers=lists_of_layers(), seed=seeds)
def test_views_share_the_buffers_and_not_the_callers_arrays(optimizer: Any, layers: list[Any], seed: int) -> None:
    model = Seq(*layers)
    p = random_like(model, seed)
    before, flat = snapshot(p), flatten(model, optimizer, p)
    assert flat is not None
    is_packed = isinstance(flat.st, PackedMoments)
    assert (flat.st is flat.buffers.st) == is_packed
    moments = [] if is_packed else [name for name in ("m", "v") if hasattr(flat.st, name)]
    pairs = [(flat.p, flat.buffers.w), (flat.g, flat.buffers.g)]
    pairs += [(getattr(flat.st, name), getattr(flat.buffers.st, name)) for name in moments]
    for tree, buffer in pairs:
        assert buffer.size == model.count()
        assert same_bits(model.dump(tree), buffer)
        buffer[...] = 3
        assert all(np.all(array == 3) for array in as_lists(tree))
    arrays = [array for _, array in pairs]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    assert not any(np.shares_memory(a, arrays[0]) for a in as_lists(p))
    assert all(map(same_bits, as_lists(p), as_lists(before)))


def test_a_model_without_views_has_no_buffers() -> None:
    import dataclasses

    model: Any = dataclasses.replace(NB(1, 2, 3), view=None)
    assert flatten(model, OPTIMIZERS[0], model.zeros()) is None
