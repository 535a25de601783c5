"""Sums of gradients of any type of the protocol: a matrix, ids, or a tuple of such."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from bendtorch.kernels.elementwise import add
from bendtorch.kernels.memory import empty_mat
from bendtorch.shapes.guard import guard_mat

X = TypeVar("X")


def add_gradients(first: X, second: X, layer: str) -> X:
    """The sum of two gradients of one input, array by array; ids have no gradient, and stay what they are."""
    return cast("X", _add(first, second, layer))


def _add(first: Any, second: Any, layer: str) -> Any:
    if isinstance(first, tuple):
        return tuple(_add(a, b, layer) for a, b in zip(first, second, strict=True))
    if not np.issubdtype(first.dtype, np.floating):
        return first
    a = guard_mat(first, first.shape, layer, "a gradient")
    rows, columns = int(a.shape[0]), int(a.shape[1])
    total = empty_mat(rows, columns)
    add(a, guard_mat(second, (rows, columns), layer, "a gradient"), total)
    return total
