"""Shapes for tests of any rank: sizes 0 and 1 among them, and shapes that broadcast with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from hypothesis import strategies as st

Shape = tuple[int, ...]

shapes: Final = st.lists(st.sampled_from([0, 1, 1, 2, 3, 5]), max_size=5).map(tuple)


def smaller(shape: Shape, rng: np.random.Generator) -> Shape:
    """A shape that broadcasts to this one."""
    return some_ones(shape, rng)[int(rng.integers(0, len(shape) + 1)) :]


def some_ones(shape: Shape, rng: np.random.Generator) -> Shape:
    """A shape with 1 in the place of some sizes."""
    return tuple(1 if rng.random() < 0.5 else size for size in shape)


def broadcasting(shape: Shape, seed: int) -> Iterator[Shape]:
    """Some shapes that broadcast with this one."""
    rng = np.random.default_rng(seed)
    yield shape
    yield smaller(shape, rng)
    yield (2, *some_ones(shape, rng)) if len(shape) < 5 else ()
    yield tuple(3 if size == 1 else 1 for size in shape)
