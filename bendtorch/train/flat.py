"""A model's parameters, gradient and moments, each in one flat buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from bendtorch.layer.counter import advance, counter_cells
from bendtorch.layer.protocol import Layer
from bendtorch.optim.config import Opt, Optimizer
from bendtorch.optim.state import OptState, map_state, new_state
from bendtorch.optim.step import step_flat
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Flat:
    """The buffers, in dump order, and which of their cells hold counters: those, no optimizer touches."""

    w: FlatF32
    g: FlatF32
    st: OptState[FlatF32]
    counters: tuple[int, ...] = ()

    def step(self, opt: Opt) -> None:
        """One optimizer step over all weights; the gradient comes back zeroed, the counters advance."""
        for low, high in self.spans():
            part = map_state(self.st, lambda m, low=low, high=high: m[low:high])  # type: ignore[misc]
            step_flat(opt, self.w[low:high], self.g[low:high], part)
        for cell in self.counters:
            advance(self.w[cell : cell + 1].view(np.uint32))

    def spans(self) -> Iterator[tuple[int, int]]:
        """The stretches of weights between the counters."""
        low = 0
        for cell in (*self.counters, self.w.size):
            if low < cell:
                yield low, cell
            low = cell + 1


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

    None where the model has no such views, or has counters in places that its leaves do not tell.
    """
    view, count, counters = model.view, model.count(), counter_cells(model.leaves)
    told = sum(leaf.cells for leaf in model.leaves) == count
    if view is None or (counters and not told):
        return None
    w, g = model.dump(p), np.zeros(count, np.float32)
    st = new_state(optimizer, lambda: np.zeros(count, np.float32))
    return Flattened(view(w, 0), view(g, 0), map_state(st, lambda flat: view(flat, 0)), Flat(w, g, st, tuple(counters)))
