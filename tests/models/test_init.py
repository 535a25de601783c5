"""Initial parameters of whole models."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from bendtorch import Dropout, Key, LayerNorm, Linear
from bendtorch.errors import ConfigError
from bendtorch.models import init_normal
from tests.support.arrays import same_bits

NET: Any = Linear(4, 30, 40) >> LayerNorm(4, 40) >> Dropout(4, 40, 0.5, 1) >> Linear(4, 40, 50)


def parts(p: Any) -> dict[str, Any]:
    """The numbers of each leaf."""
    flat, found, start = NET.dump(p), {}, 0
    for leaf in NET.leaves:
        found[leaf.name] = flat[start : start + leaf.cells]
        start += leaf.cells
    return found


def test_matrices_are_normal_and_the_rest_is_the_layers_own() -> None:
    found, own = parts(init_normal(NET, Key(3), 0.5)), parts(NET.init(Key(3)))
    for leaf in NET.leaves:
        if leaf.vector or leaf.counter:
            assert same_bits(found[leaf.name], own[leaf.name])
        else:
            assert abs(found[leaf.name].std() - 0.5) < 0.05
            assert abs(found[leaf.name].mean()) < 0.05
    assert np.all(found["1.weight"] == 1)
    assert not found["2.counter"].any()


def test_the_key_alone_decides() -> None:
    assert same_bits(NET.dump(init_normal(NET, Key(1))), NET.dump(init_normal(NET, Key(1))))
    assert not same_bits(NET.dump(init_normal(NET, Key(1))), NET.dump(init_normal(NET, Key(2))))


def test_leaves_must_describe_the_model() -> None:
    bare: Any = dataclasses.replace(NET, leaves=())
    with pytest.raises(ConfigError, match="do not describe every number"):
        init_normal(bare, Key(0))


def test_what_is_no_layer_or_key() -> None:
    wrong: Any = init_normal
    with pytest.raises(ConfigError, match=r"^init_normal: key must be a Key, such as Key\(0\), got 0"):
        wrong(NET, 0)
    with pytest.raises(ConfigError, match=r"^init_normal: model must be a layer, got None"):
        wrong(None, Key(0))
