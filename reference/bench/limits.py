"""What this machine can do, measured in the same run: FLOP/s of fused multiply-adds, bytes/s of memory.

The kernels are `bendtorch/kernels/limits.py`, the way of measuring is that of `bendtorch profile`, with more
repetitions and larger arrays. They run on the pool's threads.
"""

from __future__ import annotations

from typing import Final

from bendtorch.kernels import pool
from bendtorch.profiling import limits
from bendtorch.profiling.limits import Limits

NUMBERS: Final = 1 << 26  # 256 MiB an array: of less, a large third-level cache keeps a part from one time to the next
STEPS: Final = 2_000_000
REPEATS: Final = 7

__all__ = ["Limits", "measure"]


def measure(threads: int) -> Limits:
    """Measure this machine with a number of threads."""
    pool.set_threads(threads)
    return limits.measure(NUMBERS, STEPS, REPEATS)
