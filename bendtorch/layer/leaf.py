"""One matrix among a layer's parameters, and the distributions it can start from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from bendtorch.keys import Key
from bendtorch.shapes.arrays import FlatF32

Init: TypeAlias = Callable[[Key, int], FlatF32]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One matrix: its name (a dotted path), its shape, and its initial distribution.

    A `vector` is a matrix of one row that files hold with one axis, as PyTorch does (a bias, a gain); `stored` is any
    other shape that files give the same numbers (a convolution's weight has four axes). A `counter` is no
    weight: it is one uint32 that a step of the optimizer advances by one, kept bit for bit in the cell of one float32.
    """

    name: str
    shape: tuple[int, int]
    init: Init
    vector: bool = False
    counter: bool = False
    stored: tuple[int, ...] | None = None

    @property
    def cells(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def stored_dtype(self) -> str:
        """The type that safetensors files give its numbers."""
        return "U32" if self.counter else "F32"

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape that files give it."""
        if self.stored is not None:
            return self.stored
        return self.shape[1:] if self.vector or self.counter else self.shape

    def under(self, prefix: str) -> Leaf:
        """The same leaf with its name under `prefix`."""
        return replace(self, name=f"{prefix}.{self.name}")


def zeros_init(key: Key, count: int) -> FlatF32:
    """All zeros."""
    return np.zeros(count, np.float32)


def ones_init(key: Key, count: int) -> FlatF32:
    """All ones."""
    return np.ones(count, np.float32)


def uniform_init(bound: float) -> Init:
    """Evenly distributed on [-bound, bound); PyTorch's linear layers have bound = 1 / sqrt(inputs)."""
    return lambda key, count: key.uniform(count, -bound, bound)
