"""Bytes that a pass must read and write: its arrays, each once. Seen from the arrays of one call.

    forward     reads p and x, writes y and what it saves of its own
    backward    reads s, dy and p, writes dx, adds into g (which is read and written)

What a pass hands on without touching it costs nothing: an output that lies in an input's memory (`Id`, `Copy`), an
array of no memory (the zeros that `LinearFirst` gives). So it is less than what caches and buses really move, and a
layer that needs its inputs twice is not excused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from bendtorch.laws.nest import arrays_in
from bendtorch.layer.info import Info
from bendtorch.shapes.spec import spec_bytes

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def memory_of(arrays: Iterable[Array]) -> int:
    """The bytes of arrays, each counted once; an axis that repeats one number has none."""
    seen: set[tuple[object, ...]] = set()
    total = 0
    for array in arrays:
        place = (array.ctypes.data, array.shape, array.strides)
        if place not in seen and array.size:
            seen.add(place)
            sides = zip(array.shape, array.strides, strict=True)
            total += array.itemsize * math.prod(side for side, stride in sides if stride != 0)
    return total


def fresh(outputs: Iterable[Array], inputs: Iterable[Array]) -> list[Array]:
    """The outputs that were written: they have memory, none of it an input's."""
    given = list(inputs)
    return [
        array
        for array in outputs
        if array.size
        and any(array.strides)
        and not any(np.may_share_memory(array, other) for other in given if other.size)
    ]


def forward_traffic(info: Info, p: Any, x: Any, y: Any, s: Any) -> float:
    """The bytes of a forward pass."""
    if info.name == "Embedding":  # of the table the rows that were asked for
        return spec_bytes(info.takes) + 2 * spec_bytes(info.gives)
    inputs = arrays_in((p, x))
    written = fresh(arrays_in((y, s)), inputs)
    return memory_of(inputs) + memory_of(written) if written else 0


def backward_traffic(info: Info, p: Any, s: Any, dy: Any, dx: Any, g: Any) -> float:
    """The bytes of a backward pass. Parameters are needed for dx, not for their own gradient."""
    if info.name == "Embedding":
        return spec_bytes(info.takes) + 3 * spec_bytes(info.gives)
    inputs, gradient = arrays_in((s, dy)), memory_of(arrays_in(g))
    written = fresh(arrays_in(dx), inputs)
    weights = memory_of(arrays_in(p)) if written and info.input_gradient else 0
    return memory_of(inputs) + weights + 2 * gradient + memory_of(written) if written or gradient else 0
