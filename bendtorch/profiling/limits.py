"""What this machine can do: FLOP/s of fused multiply-adds, bytes/s of memory. Measured, not looked up.

FMA peak: chains of fused multiply-adds in registers on every thread, with narrow and with wide vectors. Bandwidth: the
sum of an array, and the triad a = b + s·c, on arrays far larger than the processor's own caches; the better of the two
is the limit. Work whose data stay in a cache can be above it.

The best of several repetitions counts, because these are limits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from bendtorch.kernels import limits, pool
from bendtorch.kernels.compile import JIT

STEPS: Final = 200_000  # of the chains in a chunk: a millisecond
CHUNKS: Final = 8  # for each thread, so that a thread that was held up does not decide
NUMBERS: Final = 1 << 24  # 64 MiB an array
REPEATS: Final = 5
HALF: Final = np.float32(0.5)


@dataclass(frozen=True, slots=True)
class Limits:
    """FLOP/s, and bytes/s of reading and of the triad, of a number of threads."""

    threads: int
    flops: float
    read: float
    triad: float

    @property
    def bandwidth(self) -> float:
        """The better of the two ways to move memory."""
        return max(self.read, self.triad)

    def least_seconds(self, flops: float, traffic: float) -> float:
        """What the work takes at least: its FLOPs at the peak, or its bytes at the bandwidth, whichever is more."""
        return max(flops / self.flops, traffic / self.bandwidth)

    def __str__(self) -> str:
        """One line."""
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return (
            f"limits, {threads}: {self.flops / 1e9:.0f} GFLOP/s of FMA, "
            f"{self.read / 1e9:.1f} GB/s read, {self.triad / 1e9:.1f} GB/s triad"
        )


def machine_limits() -> Limits | None:
    """The limits of this machine with the present number of threads; None with the JIT off.

    They are measured when first asked for, which takes less than a second, and kept as long as the process lives: what
    a machine has to give is another thing tomorrow, so nothing is written to disk.
    """
    return _once(pool.get_threads()) if JIT else None


@cache
def _once(threads: int) -> Limits:
    return measure()


def measure(numbers: int = NUMBERS, steps: int = STEPS, repeats: int = REPEATS) -> Limits:
    """Measure now, with the present number of threads; bandwidth on three arrays of so many numbers."""
    threads = pool.get_threads()
    out = np.empty(CHUNKS * threads, np.float32)
    peak = 0.0
    for wide, width in enumerate(limits.WIDTHS):
        seconds = _best(lambda wide=bool(wide): limits.multiply_add(wide, steps, HALF, out), repeats)  # type: ignore[misc]
        peak = max(peak, out.size * steps * limits.CHAINS * width * 2 / seconds)
    a, b, c = (np.ones(numbers, np.float32) for _ in range(3))
    read = _best(lambda: limits.read(b), repeats)
    triad = _best(lambda: limits.triad(b, c, HALF, a), repeats)
    return Limits(threads, peak, a.nbytes / read, 3 * a.nbytes / triad)


def _best(work: Callable[[], object], repeats: int) -> float:
    """The least seconds of several repetitions, after one that is not measured."""
    work()
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)
