"""A model's parameters, gradient and moments, each in one flat buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from bendtorch.layer.protocol import Layer
from bendtorch.optim.config import Opt, Optimizer
from bendtorch.optim.state import OptState, map_state, new_state
from bendtorch.optim.step import step_flat
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Flat:
    """The buffers, in dump order."""

    w: FlatF32
    g: FlatF32
    st: OptState[FlatF32]

    def step(self, opt: Opt) -> None:
        """One optimizer step over all parameters at once; the gradient comes back zeroed."""
        step_flat(opt, self.w, self.g, self.st)


@dataclass(frozen=True, slots=True)
class Flattened(Generic[P]):
    """Parameters, gradient and state as the layers see them, and the buffers that they are views of."""

    p: P
    g: P
    st: OptState[P]
    buffers: Flat


def is_same(one: Any, two: Any) -> bool:
    """Whether two values are the same object, or tuples of the same objects: combinators make new tuples."""
    if one is two:
        return True
    if type(one) is not tuple or type(two) is not tuple or len(one) != len(two):
        return False
    return all(map(is_same, one, two))


def flatten(model: Layer[P, Any, Any, Any], optimizer: Optimizer, p: P) -> Flattened[P] | None:
    """A copy of `p` in a flat buffer, with a zero gradient and new moments, each in a flat buffer of its own.

    None where the model has no such views.
    """
    view = model.view
    if view is None:
        return None
    count = model.count()
    w, g = model.dump(p), np.zeros(count, np.float32)
    st = new_state(optimizer, lambda: np.zeros(count, np.float32))
    return Flattened(view(w, 0), view(g, 0), map_state(st, lambda flat: view(flat, 0)), Flat(w, g, st))
