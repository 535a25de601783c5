"""Random and adversarial float32 matrices.

A `Fill` makes a matrix of a shape from a generator of random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from reference.errors import Array

Fill: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], Array]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Normally distributed numbers."""
    return rng.standard_normal(shape, np.float32)


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers in [0, 1), as pixels and activations are: sums grow and nothing cancels."""
    return rng.random(shape, np.float32)


def scaled(factor: float) -> Fill:
    """Normally distributed numbers times a factor."""
    return lambda rng, shape: normal(rng, shape) * np.float32(factor)


def mixed(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Rows whose sizes go from 1e-6 to 1e6."""
    sizes = (10.0 ** rng.uniform(-6, 6, (shape[0], 1))).astype(np.float32)
    return normal(rng, shape) * sizes


def cancelling(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers near +1000 in one half of the columns and near -1000 in the other.

    The columns are in random order: a regular one would be kind to one order of summation and unkind to another.
    """
    signs = rng.permutation(np.where(np.arange(shape[-1]) % 2 == 0, 1000, -1000))
    return (signs + rng.standard_normal(shape)).astype(np.float32)


def near_ones(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers close to 1: against `cancelling`, whose large parts they let cancel."""
    return (1 + 1e-3 * rng.standard_normal(shape)).astype(np.float32)


def overflowing(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Positive numbers whose products overflow; with both signs, the order of a sum decides between inf and NaN."""
    return (positive(rng, shape) + np.float32(1)) * np.float32(1e20)


def planted(fill: Fill, *values: float) -> Fill:
    """A matrix with each of the values put in a random place of it."""

    def make(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        array = fill(rng, shape)
        places = rng.choice(array.size, len(values), replace=False)
        array.reshape(-1)[places] = np.array(values, np.float32)
        return array

    return make
