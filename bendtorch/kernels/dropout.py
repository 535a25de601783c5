"""Dropout's mask: a hash of (seed, step, index), so that any program can compute the same one.

Number i of a batch is kept when the upper 24 bits of mix(key + i), as a fraction of 2^24, are not below p; then it is
multiplied by 1 / (1 - p), else by 0. The key is mix(seed xor mix(step)); all arithmetic is modulo 2^32.

8 bytes a number, one FLOP, and some fifteen operations on integers for the hash, all in vector lanes.

`mix` is lowbias32, an invertible hash of 32 bits (Chris Wellons, "Prospecting for hash functions").
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for

CHUNK: Final = 1 << 15  # numbers a chunk
ZERO: Final = np.float32(0)
LOW: Final = np.uint64(0xFFFFFFFF)
FIRST: Final = np.uint64(2146121005)
SECOND: Final = np.uint64(2221713035)
S16, S15, S8 = np.uint32(16), np.uint32(15), np.uint32(8)


@helper
def _times(x: np.uint32, factor: np.uint64) -> np.uint32:
    return np.uint32((np.uint64(x) * factor) & LOW)


@helper
def mix(x: np.uint32) -> np.uint32:
    """An invertible hash of 32 bits."""
    x = _times(x ^ (x >> S16), FIRST)
    x = _times(x ^ (x >> S15), SECOND)
    return x ^ (x >> S16)


@kernel
def mask_key(seed: int, step: int) -> int:
    """The key of one step's mask."""
    return int(mix(np.uint32(seed) ^ mix(np.uint32(step))))


@helper
def _masked(x: Flat, first: int, threshold: np.uint32, scale: np.float32, y: Flat) -> None:
    """y = x times its factors; `first` is the key plus the index of the first number."""
    start = np.uint32(first & 0xFFFFFFFF)
    for i in range(x.size):
        drawn = mix(np.uint32((np.uint64(start) + np.uint64(i)) & LOW)) >> S8
        y[i] = x[i] * (ZERO if drawn < threshold else scale)


@kernel
def _chunk(chunk: int, x: Flat, key: int, threshold: int, scale: np.float32, y: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    _masked(x[low:high], key + low, np.uint32(threshold), scale, y[low:high])


@kernel
def dropout(x: Matrix, key: int, threshold: int, scale: np.float32, y: Matrix) -> None:
    """y = x times the mask of `key`: factor 0 where the hash, below 2^24, is below `threshold`, else `scale`."""
    parallel_for(_chunk, chunks_of(x.size, CHUNK), (x.ravel(), key, threshold, scale, y.ravel()))
