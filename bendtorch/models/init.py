"""Initial parameters of whole models, where those of the single layers do not do."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.keys import Key
from bendtorch.layer import Layer
from bendtorch.layer.arguments import expect_layer
from bendtorch.shapes.arguments import expect
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")


def init_normal(model: Layer[P, Any, Any, Any], key: Key, std: float = 0.02) -> P:
    """Every matrix drawn from a normal distribution of that deviation, as a language model starts.

    Vectors start as their layers have them (gains at one, biases at zero), counters at 0. Leaf i is drawn from
    `key.fold(i)`. Raises `ConfigError` for what is no layer or no key, and when the leaves do not
    describe every number.
    """
    expect_layer("init_normal", model)
    expect("init_normal", "key", key, Key, "a Key, such as Key(0)")
    if sum(leaf.cells for leaf in model.leaves) != model.count():
        raise ConfigError(f"init_normal: the leaves of {model} do not describe every number")
    cells: list[FlatF32] = [np.empty(0, np.float32)]
    for place, leaf in enumerate(model.leaves):
        own = key.fold(place)
        is_matrix = not (leaf.vector or leaf.counter)
        cells.append(own.normal(leaf.cells, 0.0, std) if is_matrix else leaf.init(own, leaf.cells))
    p = model.zeros()
    model.load(p, np.concatenate(cells), 0)
    return p
