"""A model's parameters, gradient and moments, each in one flat buffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from bendtorch.layer.counter import advance_cells, counter_cells
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.protocol import Layer
from bendtorch.optim.at import GroupedAt, Opt
from bendtorch.optim.config import Optimizer
from bendtorch.optim.state import OptState, map_state, new_state
from bendtorch.optim.step import Spans, steps_of
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")

Cells: TypeAlias = tuple[tuple[int, bool], ...]
"""Of each leaf, how many numbers it has and whether it is a counter."""


@dataclass(frozen=True, slots=True)
class Flat:
    """The buffers, in dump order, and what their cells hold: an optimizer touches weights, and no counters."""

    w: FlatF32
    g: FlatF32
    st: OptState[FlatF32]
    cells: Cells
    counters: tuple[int, ...] = ()
    steps: dict[object, Callable[[Opt], None]] = field(default_factory=dict)  # for each kind of optimizer

    def step(self, opt: Opt) -> None:
        """One optimizer step over all weights; the gradient comes back zeroed, the counters advance."""
        kind = (opt.index, *map(type, opt.opts)) if isinstance(opt, GroupedAt) else type(opt)
        if kind not in self.steps:
            index = opt.index if isinstance(opt, GroupedAt) else (0,) * len(self.cells)
            self.steps[kind] = steps_of(opt, self.w, self.g, self.st, spans(self.cells, index))
        self.steps[kind](opt)
        advance_cells(self.w, self.counters)


def spans(cells: Cells, index: tuple[int, ...]) -> Spans:
    """The stretches of weights that neighbouring leaves of one group make up."""
    found: list[tuple[int, int, int]] = []
    start = 0
    for (count, is_counter), group in zip(cells, index, strict=True):
        end = start + count
        if found and found[-1][1:] == (start, group) and not is_counter:
            found[-1] = (found[-1][0], end, group)
        elif not is_counter:
            found.append((start, end, group))
        start = end
    return tuple(found)


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


def flatten(model: Layer[P, Any, Any, Any], optimizer: Optimizer, p: P | None) -> Flattened[P] | None:
    """A copy of `p`, or zeros, in a flat buffer, with a zero gradient and new moments, each in one of its own.

    None where the model has no such views, or its leaves do not tell what its cells hold.
    """
    view, count = model.view, model.count()
    if view is None or sum(leaf.cells for leaf in model.leaves) != count:
        return None
    w, g = np.zeros(count, np.float32) if p is None else model.dump(p), np.zeros(count, np.float32)
    st: OptState[FlatF32] = new_state(optimizer, lambda: np.zeros(count, np.float32), count)
    buffers = Flat(w, g, st, cells_of(model.leaves), tuple(counter_cells(model.leaves)))
    return Flattened(view(w, 0), view(g, 0), map_state(st, lambda flat: view(flat, 0)), buffers)


def cells_of(leaves: Sequence[Leaf]) -> Cells:
    """What the cells of a model hold."""
    return tuple((leaf.cells, leaf.counter) for leaf in leaves)
