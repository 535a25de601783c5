"""The parameters of two layers side by side: the mechanism behind every combinator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from bendtorch.layer.given import GRADIENT, MODEL, PARAMETERS, guard_pair
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.params import Params, Step, check_room
from bendtorch.optim.at import Opt, share
from bendtorch.optim.state import OptState, rejoined, split_state
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")
P1 = TypeVar("P1")
P2 = TypeVar("P2")


class PairStep(Generic[P1, P2]):
    """One optimizer step over a pair: the step of each part."""

    def __init__(self, first: Params[P1], second: Params[P2]) -> None:
        self.first, self.second = first.step, second.step
        self.cells = (first.count(), second.count())
        self.leaves = (len(first.leaves), len(second.leaves))
        self.elementwise = all(getattr(step, "elementwise", False) for step in (first.step, second.step))

    def __call__(
        self, opt: Opt, p: tuple[P1, P2], g: tuple[P1, P2], st: OptState[tuple[P1, P2]]
    ) -> Step[tuple[P1, P2]]:
        """Step both parts with their shares of the state."""
        guard_pair(p, MODEL, PARAMETERS)
        guard_pair(g, MODEL, GRADIENT)
        shares = split_state(st, self.cells)
        one = self.first(share(opt, 0, self.leaves[0]), p[0], g[0], shares[0])
        two = self.second(share(opt, self.leaves[0], self.leaves[1]), p[1], g[1], shares[1])
        return Step((one.p, two.p), (one.g, two.g), rejoined(st, shares, (one.st, two.st)))


Move = Callable[[P, FlatF32, int], int]


class Transfer(Generic[P]):
    """The `load` or `store` of a composite: every part is checked before the first is written.

    Calling it checks all parts, wherever they are nested, once; `run` is the same without the checks.
    """

    def __init__(self, count: int, check: Callable[[P], object], run: Move[P]) -> None:
        self.count, self.check, self.run = count, check, run

    def __call__(self, p: P, flat: FlatF32, offset: int) -> int:
        """Load or store `p` from or to `flat`, from an offset on; gives the next offset."""
        check_room(flat, offset, self.count)
        self.check(p)
        return self.run(p, flat, offset)


def loading(part: Params[P]) -> Transfer[P]:
    """A part's `load`, checked by letting the part load the numbers that it has."""
    if isinstance(part.load, Transfer):
        return part.load
    return Transfer(part.count(), lambda p: part.load(p, part.dump(p), 0), part.load)


def storing(part: Params[P]) -> Transfer[P]:
    """A part's `store`, checked by a dump, which writes nowhere but into an array of its own."""
    if isinstance(part.store, Transfer):
        return part.store
    return Transfer(part.count(), part.dump, part.store)


def _both(first: Transfer[P1], second: Transfer[P2]) -> Transfer[tuple[P1, P2]]:
    """The first part's transfer, then the second's."""
    return Transfer(
        first.count + second.count,
        lambda p: (first.check(guard_pair(p, MODEL, PARAMETERS)[0]), second.check(p[1])),
        lambda p, flat, offset: second.run(p[1], flat, first.run(p[0], flat, offset)),
    )


class _Pair(Generic[P1, P2]):
    """The functions over a pair of parameters: the first's, then the second's."""

    def __init__(self, first: Params[P1], second: Params[P2]) -> None:
        self.first, self.second = first, second

    def count(self) -> int:
        return self.first.count() + self.second.count()

    def zeros(self) -> tuple[P1, P2]:
        return self.first.zeros(), self.second.zeros()

    def dump(self, p: tuple[P1, P2]) -> FlatF32:
        guard_pair(p, MODEL, PARAMETERS)
        return np.concatenate([self.first.dump(p[0]), self.second.dump(p[1])])


def pair(first: Params[P1], second: Params[P2], leaves: tuple[Leaf, ...] | None = None) -> Params[tuple[P1, P2]]:
    """The functions over `(p1, p2)`. Leaves are named `0.…` and `1.…` unless the caller names them.

    Laws: L38 (a step is the pair of steps), L47 (dump is the concatenation), L48 (count is the sum).
    """
    both = _Pair(first, second)
    view1, view2, skip = first.view, second.view, first.count()
    matrices1, matrices2 = first.matrices, second.matrices
    return Params(
        zeros=both.zeros,
        step=PairStep(first, second),
        dump=both.dump,
        load=_both(loading(first), loading(second)),
        store=_both(storing(first), storing(second)),
        count=both.count,
        view=None
        if view1 is None or view2 is None
        else lambda flat, offset: (view1(flat, offset), view2(flat, offset + skip)),
        leaves=leaves
        if leaves is not None
        else (*(leaf.under("0") for leaf in first.leaves), *(leaf.under("1") for leaf in second.leaves)),
        matrices=None if matrices1 is None or matrices2 is None else lambda p: [*matrices1(p[0]), *matrices2(p[1])],
    )
