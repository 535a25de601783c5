"""Our pool of threads beside numba's own: the same vector loop over the same chunks, o = 1.5·x + 2.

The rival is the threading layer that numba chooses (`NUMBA_THREADING_LAYER` decides otherwise). The row of 1 number is
the cost of starting a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numba
import numpy as np
from numba import prange

from bendtorch.kernels import pool
from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.parallel import chunks_of, parallel_for
from reference.bench.registry import Contest, Row

CHUNK: Final = 1 << 15
SIZES: Final = (1, 1 << 16, 1 << 18, 1 << 20)
SCALE: Final = np.float32(1.5)
SHIFT: Final = np.float32(2)


@numba.njit(nogil=True, error_model="numpy")
def _loop(x: Flat, o: Flat) -> None:
    for i in range(x.size):
        o[i] = x[i] * SCALE + SHIFT


@numba.njit(nogil=True, error_model="numpy")
def _chunk(chunk: int, x: Flat, o: Flat) -> None:
    low, high = chunk * CHUNK, min(x.size, (chunk + 1) * CHUNK)
    _loop(x[low:high], o[low:high])


@numba.njit(nogil=True, error_model="numpy")
def _ours(x: Flat, o: Flat) -> None:
    parallel_for(_chunk, chunks_of(x.size, CHUNK), (x, o))


@numba.njit(nogil=True, error_model="numpy", parallel=True)
def _theirs(x: Flat, o: Flat) -> None:
    for chunk in prange(chunks_of(x.size, CHUNK)):
        _chunk(chunk, x, o)


def rows() -> Iterator[Row]:
    """A loop of several lengths."""
    for size in SIZES:
        yield Row(f"loop over {size}", partial(_contest, size), 2 * size, 8 * size)


def _contest(size: int) -> Contest:
    x, o = np.ones(size, np.float32), np.empty(size, np.float32)

    def theirs() -> None:
        numba.set_num_threads(min(pool.get_threads(), numba.config.NUMBA_NUM_THREADS))
        _theirs(x, o)

    return Contest(lambda: _ours(x, o), {"numba": theirs})
