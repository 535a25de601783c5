"""Arrays of any rank for kernels that take matrices."""

from __future__ import annotations

import math
from typing import Any

from bendtorch.grad.node import Array
from bendtorch.kernels.memory import empty_array


def new_array(shape: tuple[int, ...]) -> Array:
    """A float32 array whose numbers are not set; large ones use memory that was freed."""
    array: Array = empty_array(shape)
    return array


def matrix_of(x: Array) -> Any:
    """The same numbers as a matrix: all axes but the last are its rows."""
    return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def image_rows(x: Array) -> Any:
    """A row for each image, or for each output's weight: all axes but the first are one."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))
