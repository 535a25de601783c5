"""The functions that a layer has over its parameters. `describe` derives them all from one description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer.leaf import Leaf
from bendtorch.optim.at import Opt
from bendtorch.optim.state import OptState
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.guard import F32

P = TypeVar("P")

AnyMat: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]

Unit: TypeAlias = tuple[()]
"""The parameters of a layer that has none."""


@dataclass(slots=True)
class Step(Generic[P]):
    """What an optimizer step gives: the new parameters, the gradient (zeros again), the optimizer's state."""

    p: P
    g: P
    st: OptState[P]


@dataclass(frozen=True, kw_only=True)
class Params(Generic[P]):
    """The functions over parameters `P`.

    - `zeros()`: a zero P; gradients and optimizer states start from it.
    - `step(opt, p, g, st)`: one optimizer step in place; the gradient comes back zeroed.
    - `dump(p)`: every number of p in a fixed order; `count()`: how many.
    - `load(p, flat, offset)`: p overwritten from an offset on; gives the next offset.
    - `store(p, flat, offset)`: load's inverse, into the caller's array.
    - `view(flat, offset)`: a P whose matrices are views of `flat`, so that all parameters of a model live in one
      buffer; None where there is no such form.
    - `leaves`: names, shapes and initial distributions, in dump order.
    - `matrices(p)`: the arrays of p, one a leaf, in dump order; None where there is no such form.

    Laws: L44 (gradient zero after a step), L46 (load inverts dump), L48 (count is dump's length).
    """

    zeros: Callable[[], P]
    step: Callable[[Opt, P, P, OptState[P]], Step[P]]
    dump: Callable[[P], FlatF32]
    load: Callable[[P, FlatF32, int], int]
    store: Callable[[P, FlatF32, int], int]
    count: Callable[[], int]
    view: Callable[[FlatF32, int], P] | None = None
    leaves: tuple[Leaf, ...] = ()
    matrices: Callable[[P], Sequence[AnyMat]] | None = None

    def init(self, key: Key) -> P:
        """Parameters drawn from their initial distributions: leaf i from `key.fold(i)`, whatever the nesting.

        Raises `ConfigError` when the leaves do not describe every number.
        """
        if not isinstance(key, Key):
            raise ConfigError(f"init: expected a Key, such as Key(0), got {key!r}")
        described = sum(leaf.cells for leaf in self.leaves)
        if described != self.count():
            raise ConfigError(
                f"cannot initialise: the leaves describe {described} of {self.count()} numbers; "
                "give every layer of the model its leaves"
            )
        cells = [leaf.init(key.fold(i), leaf.cells) for i, leaf in enumerate(self.leaves)]
        p = self.zeros()
        self.load(p, np.concatenate([np.empty(0, np.float32), *cells]), 0)
        return p


def check_room(flat: FlatF32, offset: int, count: int) -> None:
    """Refuse a flat array that does not hold `count` float32 numbers from `offset` on, before anything is written."""
    if not isinstance(flat, np.ndarray) or flat.dtype != F32 or flat.ndim != 1:
        got = f"{flat.dtype} of shape {list(flat.shape)}" if isinstance(flat, np.ndarray) else type(flat).__name__
        raise DtypeError(f"parameters: expected a flat float32 array, got {got}")
    if offset < 0 or offset + count > flat.size:
        raise ShapeError(f"parameters: {count} numbers wanted from offset {offset}, the flat array holds {flat.size}")
