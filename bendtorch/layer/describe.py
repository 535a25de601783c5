"""Parameters described once: every function of `Params` follows from the leaves and how a P is built and taken apart.

matrix(o, i, "weight", uniform_init(0.1))                                  # P is Mat[O, I]
describe([Leaf("weight", (o, i), ...), Leaf("bias", (1, o), ...)],        # P is Lin[I, O]
         build=Lin, split=lambda p: (p.weight, p.bias))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

import numpy as np

from bendtorch.layer.counter import advance, counter_leaf, guard_counter
from bendtorch.layer.given import MODEL, guard_record
from bendtorch.layer.leaf import Init, Leaf, zeros_init
from bendtorch.layer.params import AnyMat, Params, Step, Unit, check_room
from bendtorch.optim.at import Opt, of_leaf
from bendtorch.optim.state import OptState, map_state, split_state
from bendtorch.optim.step import step_matrix
from bendtorch.shapes.arrays import Counter, FlatF32, Mat
from bendtorch.shapes.dims import C, Dim, R
from bendtorch.shapes.guard import guard_mat, guard_target

P = TypeVar("P")


class LeafStep(Generic[P]):
    """One optimizer step over the matrices of a description."""

    elementwise = True  # has the bits of one step over the flat buffer

    def __init__(self, leaves: Sequence[Leaf], split: Callable[[P], Sequence[AnyMat]]) -> None:
        self.leaves, self.split = tuple(leaves), split

    def __call__(self, opt: Opt, p: P, g: P, st: OptState[P]) -> Step[P]:
        """Step each matrix in place with its share of the state; advance each counter."""
        shares = split_state(map_state(st, self.split), [leaf.cells for leaf in self.leaves])
        for i, (weights, gradient, part) in enumerate(zip(self.split(p), self.split(g), shares, strict=True)):
            leaf = self.leaves[i]
            if leaf.counter:
                advance(guard_counter(cast("Counter", weights), "step", leaf.name))
            else:
                step_matrix(of_leaf(opt, i), weights, gradient, part)
        return Step(p, g, st)


def leaf_cells(leaf: Leaf, given: AnyMat, guard: Callable[..., AnyMat]) -> AnyMat:
    """A leaf's numbers as float32 cells: a counter's are its bits."""
    if leaf.counter:
        return cast("AnyMat", guard_counter(cast("Counter", given), "parameters", leaf.name).view(np.float32))
    return guard(given, leaf.shape, "parameters", leaf.name)


class _Described(Generic[P]):
    """The functions over a described P."""

    def __init__(self, leaves: Sequence[Leaf], build: Callable[..., P], split: Callable[[P], Sequence[AnyMat]]) -> None:
        self.leaves, self.build, self.split = tuple(leaves), build, split
        self.total = sum(leaf.cells for leaf in self.leaves)

    def count(self) -> int:
        return self.total

    def view(self, flat: FlatF32, offset: int) -> P:
        check_room(flat, offset, self.total)
        matrices = []
        for leaf in self.leaves:
            matrix = flat[offset : offset + leaf.cells].reshape(leaf.shape)
            matrices.append(matrix.view(np.uint32) if leaf.counter else matrix)
            offset += leaf.cells
        return self.build(*matrices)

    def zeros(self) -> P:
        return self.view(np.zeros(self.total, np.float32), 0)

    def store(self, p: P, flat: FlatF32, offset: int) -> int:
        check_room(flat, offset, self.total)
        for leaf, given in zip(self.leaves, self.split(p), strict=True):
            flat[offset : offset + leaf.cells] = leaf_cells(leaf, given, guard_mat).reshape(-1)
            offset += leaf.cells
        return offset

    def load(self, p: P, flat: FlatF32, offset: int) -> int:
        check_room(flat, offset, self.total)
        pairs = list(zip(self.leaves, self.split(p), strict=True))
        targets = [leaf_cells(leaf, given, guard_target) for leaf, given in pairs]
        for target in targets:
            target[...] = flat[offset : offset + target.size].reshape(target.shape)
            offset += target.size
        return offset

    def dump(self, p: P) -> FlatF32:
        flat = np.empty(self.total, np.float32)
        self.store(p, flat, 0)
        return flat


def describe(leaves: Sequence[Leaf], build: Callable[..., P], split: Callable[[P], Sequence[AnyMat]]) -> Params[P]:
    """The functions over a P that `build(*matrices)` makes and `split(p)` takes apart again, both in leaf order."""
    if isinstance(build, type):
        split = _of_record(build, split)
    described = _Described(leaves, build, split)
    return Params(
        zeros=described.zeros,
        step=LeafStep(leaves, split),
        dump=described.dump,
        load=described.load,
        store=described.store,
        count=described.count,
        view=described.view,
        leaves=described.leaves,
        matrices=split,
    )


def _of_record(kind: type, split: Callable[[P], Sequence[AnyMat]]) -> Callable[[P], Sequence[AnyMat]]:
    """`split` for records alone; of anything else the message says what was expected."""
    return lambda p: split(guard_record(p, kind, MODEL))


def matrix(
    r: Dim[R], c: Dim[C], name: str = "weight", init: Init = zeros_init, *, vector: bool = False
) -> Params[Mat[R, C]]:
    """Parameters that are one matrix; a `vector` is a matrix of one row that files hold with one axis."""
    return describe([Leaf(name, (r, c), init, vector)], lambda m: cast("Mat[R, C]", m), lambda p: (cast("AnyMat", p),))


def counter(name: str = "counter") -> Params[Counter]:
    """Parameters that are one counter of steps."""
    return describe([counter_leaf(name)], lambda m: cast("Counter", m), lambda p: (cast("AnyMat", p),))


def no_params() -> Params[Unit]:
    """The parameters of a layer that has none."""
    return describe([], lambda: (), lambda p: ())
