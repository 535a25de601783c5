"""Explicit keys for random numbers: no global state, no order of calls to remember.

A `Key` names a stream of random numbers. Splitting gives independent keys, so each part of a model draws from its own
stream and a part that is added or removed changes nobody else's numbers.

The bits are those of numpy's counter-based Philox generator under a key mixed by `SeedSequence`, both of which numpy
keeps stable; the conversion to floats is done here, so the same key gives the same numbers everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.shapes.arrays import FlatF32


@dataclass(frozen=True)
class Key:
    """A stream of random numbers, named by a seed and the path of splits that led to it."""

    seed: int
    path: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ConfigError(f"Key: the seed must be an int of at least 0, got {self.seed!r}")

    def fold(self, number: int) -> Key:
        """The key that belongs to `number` (a layer's place, an epoch, a step) under this one."""
        if number < 0:
            raise ConfigError(f"Key.fold: the number must be at least 0, got {number}")
        return Key(self.seed, (*self.path, number))

    def split(self, count: int) -> tuple[Key, ...]:
        """`count` independent keys."""
        return tuple(self.fold(i) for i in range(count))

    def bits(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        """`count` random 64-bit words."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=self.path)
        return np.random.Philox(sequence).random_raw(count)

    def uniform(self, count: int, low: float, high: float) -> FlatF32:
        """`count` float32 numbers, evenly distributed on the 2^24 steps of [low, high).

        Raises `ConfigError` for an interval that is turned round, not finite, or wider than float32 can say.
        """
        most = float(np.finfo(np.float32).max)
        if not (-most <= low <= high <= most and high - low <= most):
            raise ConfigError(f"Key.uniform: expected finite low <= high, not too far apart, got {low} and {high}")
        first, end = np.float32(low), np.float32(high)
        unit = (self.bits(count) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
        numbers: FlatF32 = unit * np.float32(high - low) + first
        np.minimum(numbers, np.nextafter(end, first), out=numbers)  # the sum can round up to high
        return numbers

    def permutation(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The numbers 0 to count - 1 in random order."""
        return np.argsort(self.bits(count), kind="stable").astype(np.int64)
