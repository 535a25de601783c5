"""Sums of gradients of any type of the protocol: a matrix, ids, or a tuple of such."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.kernels.elementwise import add
from bendtorch.kernels.memory import empty_mat
from bendtorch.shapes.guard import guard_mat

X = TypeVar("X")


def add_gradients(first: X, second: X, layer: str) -> X:
    """The sum of two gradients of one input, array by array; ids have no gradient, and stay what they are."""
    return cast("X", _add(first, second, layer))


def _add(first: Any, second: Any, layer: str) -> Any:
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(_add(a, b, layer) for a, b in zip(first, second, strict=True))
    if isinstance(first, tuple) or isinstance(second, tuple):
        raise ShapeError(f"{layer}: two gradients of one input differ in kind: {_kind(first)} and {_kind(second)}")
    for gradient in (first, second):
        if not isinstance(gradient, np.ndarray):
            raise DtypeError(f"{layer}: a gradient must be a float32 numpy array, got {_kind(gradient)}")
    if np.issubdtype(first.dtype, np.integer) and first.dtype == second.dtype:
        return first
    a = guard_mat(first, first.shape, layer, "a gradient")
    rows, columns = int(a.shape[0]), int(a.shape[1])
    total = empty_mat(rows, columns)
    add(a, guard_mat(second, (rows, columns), layer, "a gradient"), total)
    return total


def _kind(gradient: Any) -> str:
    """What a gradient is, for a message."""
    return f"a tuple of {len(gradient)}" if isinstance(gradient, tuple) else type(gradient).__name__
