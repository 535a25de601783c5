"""The parameters of two layers side by side: the mechanism behind every combinator."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from bendtorch.layer.leaf import Leaf
from bendtorch.layer.params import Params, Step, check_room
from bendtorch.optim.config import Opt
from bendtorch.optim.state import OptState, join_state, split_state
from bendtorch.shapes.arrays import FlatF32

P1 = TypeVar("P1")
P2 = TypeVar("P2")


class PairStep(Generic[P1, P2]):
    """One optimizer step over a pair: the step of each part."""

    def __init__(self, first: Params[P1], second: Params[P2]) -> None:
        self.first, self.second = first.step, second.step
        self.elementwise = all(getattr(step, "elementwise", False) for step in (first.step, second.step))

    def __call__(
        self, opt: Opt, p: tuple[P1, P2], g: tuple[P1, P2], st: OptState[tuple[P1, P2]]
    ) -> Step[tuple[P1, P2]]:
        """Step both parts with their shares of the state."""
        first_state, second_state = split_state(st)
        one = self.first(opt, p[0], g[0], first_state)
        two = self.second(opt, p[1], g[1], second_state)
        return Step((one.p, two.p), (one.g, two.g), join_state(one.st, two.st))


class _Pair(Generic[P1, P2]):
    """The functions over a pair of parameters: the first's, then the second's."""

    def __init__(self, first: Params[P1], second: Params[P2]) -> None:
        self.first, self.second = first, second

    def count(self) -> int:
        return self.first.count() + self.second.count()

    def zeros(self) -> tuple[P1, P2]:
        return self.first.zeros(), self.second.zeros()

    def dump(self, p: tuple[P1, P2]) -> FlatF32:
        return np.concatenate([self.first.dump(p[0]), self.second.dump(p[1])])

    def load(self, p: tuple[P1, P2], flat: FlatF32, offset: int) -> int:
        check_room(flat, offset, self.count())
        return self.second.load(p[1], flat, self.first.load(p[0], flat, offset))

    def store(self, p: tuple[P1, P2], flat: FlatF32, offset: int) -> int:
        check_room(flat, offset, self.count())
        return self.second.store(p[1], flat, self.first.store(p[0], flat, offset))


def pair(first: Params[P1], second: Params[P2], leaves: tuple[Leaf, ...] | None = None) -> Params[tuple[P1, P2]]:
    """The functions over `(p1, p2)`. Leaves are named `0.…` and `1.…` unless the caller names them.

    Laws: L38 (a step is the pair of steps), L47 (dump is the concatenation), L48 (count is the sum).
    """
    both = _Pair(first, second)
    view1, view2, skip = first.view, second.view, first.count()
    return Params(
        zeros=both.zeros,
        step=PairStep(first, second),
        dump=both.dump,
        load=both.load,
        store=both.store,
        count=both.count,
        view=None
        if view1 is None or view2 is None
        else lambda flat, offset: (view1(flat, offset), view2(flat, offset + skip)),
        leaves=leaves
        if leaves is not None
        else (*(leaf.under("0") for leaf in first.leaves), *(leaf.under("1") for leaf in second.leaves)),
    )
