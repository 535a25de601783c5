"""Counters among the parameters: a layer's count of its own steps, which a checkpoint must keep (Dropout's).

A counter is one uint32. It is dumped, loaded and counted with the weights, as the float32 of the same bits, but no
optimizer touches it: a step advances it by one, and leaves its gradient alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from bendtorch.errors import DtypeError
from bendtorch.layer.leaf import Leaf, zeros_init
from bendtorch.shapes.arrays import Counter, FlatF32
from bendtorch.shapes.spec import ArraySpec

U32: Final = np.dtype(np.uint32)
COUNTER_SPEC: Final = ArraySpec("Counter", (1, 1))


def counter_leaf(name: str = "counter") -> Leaf:
    """The leaf of a counter, which starts at 0."""
    return Leaf(name, (1, 1), zeros_init, counter=True)


def guard_counter(x: Counter, layer: str, argument: str = "counter") -> Counter:
    """`x` when it is a counter that can be written: one uint32, with two axes. Raises `DtypeError`."""
    array: Any = x
    if isinstance(array, np.ndarray) and array.dtype == U32 and array.shape == (1, 1) and array.flags.carray:
        return x
    got = f"{array.dtype} of shape {list(array.shape)}" if isinstance(array, np.ndarray) else type(x).__name__
    raise DtypeError(
        f"{layer}: {argument} must be a writable uint32 array of shape [1, 1], got {got}; take the layer's own zeros()"
    )


def counter_value(x: Counter, layer: str) -> int:
    """The count."""
    return int(guard_counter(x, layer)[0, 0])


def new_counter(count: int = 0) -> Counter:
    """A counter that stands at `count`."""
    return cast("Counter", np.full((1, 1), count, U32))


def advance(counter: Counter) -> None:
    """One more, in place; after 2^32 - 1 comes 0."""
    np.add(counter, U32.type(1), out=counter)


def advance_cells(flat: FlatF32, places: Sequence[int]) -> None:
    """One more on each counter of a flat buffer."""
    for place in places:
        cell = flat[place : place + 1].view(U32)
        np.add(cell, U32.type(1), out=cell)


def counter_cells(leaves: Sequence[Leaf]) -> list[int]:
    """The places of the counters in a dump."""
    places, offset = [], 0
    for leaf in leaves:
        if leaf.counter:
            places.append(offset)
        offset += leaf.cells
    return places
