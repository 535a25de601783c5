"""Explicit keys for random numbers: no global state, no order of calls to remember.

A `Key` names a stream of random numbers. Splitting gives independent keys, so each part of a model draws from its own
stream and a part that is added or removed changes nobody else's numbers.

The bits are those of numpy's counter-based Philox generator under a key mixed by `SeedSequence`, both of which numpy
keeps stable; the conversion to floats is done here, so the same key gives the same numbers everywhere. The normal
distribution needs a logarithm and a cosine, whose last bits differ between machines; here they are series of sums,
products and square roots, which do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.shapes.arrays import FlatF32

F64: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

# In powers of z², where (m - 1)/(m + 1) = z and m is within a factor of √2 of 1: log m = 2z·(1 + z²/3 + z⁴/5 + …).
LOG: Final = tuple(1 / (2 * k + 1) for k in range(11))
# In powers of t² for |t| <= π/2: cos t = 1 - t²/2! + t⁴/4! - …
COS: Final = tuple((-1) ** k / math.factorial(2 * k) for k in range(12))


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
        if count < 0:
            raise ConfigError(f"Key.split: the count must be at least 0, got {count}")
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

    def normal(self, count: int, mean: float = 0.0, deviation: float = 1.0) -> FlatF32:
        """`count` float32 numbers of the normal distribution, within 9 deviations of the mean.

        Each is computed in float64 and rounded once, from two words (Box and Muller). Raises `ConfigError` for a mean
        that is not finite, a deviation that is not or is negative, or numbers beyond float32.
        """
        if not (deviation >= 0 and abs(mean) + 9 * deviation <= float(np.finfo(np.float32).max)):
            raise ConfigError(
                f"Key.normal: expected a finite mean and deviation >= 0, not too large, got {mean} and {deviation}"
            )
        words = self.bits(2 * count).reshape(count, 2)
        unit = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53  # in [0, 1)
        radius = np.sqrt(-2.0 * _log(1.0 - unit[:, 0]))
        return (mean + deviation * (radius * _cos_of_turns(unit[:, 1]))).astype(np.float32)

    def permutation(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The numbers 0 to count - 1 in random order."""
        return np.argsort(self.bits(count), kind="stable").astype(np.int64)


def _series(coefficients: tuple[float, ...], x: F64) -> F64:
    """The polynomial in x with these coefficients, the constant one first."""
    total: F64 = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _log(x: F64) -> F64:
    """The natural logarithm of numbers in (0, 1]."""
    mantissa, exponent = np.frexp(x)  # the mantissa is in [1/2, 1)
    small = mantissa < math.sqrt(0.5)
    m, e = np.where(small, 2 * mantissa, mantissa), np.where(small, exponent - 1, exponent)
    z: F64 = (m - 1) / (m + 1)
    log: F64 = e * math.log(2) + 2 * z * _series(LOG, z * z)
    return log


def _cos_of_turns(x: F64) -> F64:
    """cos(2πx) for x in [0, 1)."""
    folded = np.abs(x - 0.5)  # in [0, 1/2]; cos(2πx) = -cos(2π·folded)
    outer = folded > 0.25
    t: F64 = 2 * math.pi * np.where(outer, 0.5 - folded, folded)
    cos: F64 = np.where(outer, 1.0, -1.0) * _series(COS, t * t)
    return cos
