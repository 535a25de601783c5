"""What this machine can do, measured in the same run: FLOP/s of fused multiply-adds, bytes/s of memory.

FMA peak: every thread runs a loop of twelve independent chains of `a = a·x + x` on whole vector registers. Twelve hide
the latency of an FMA on processors that start two per cycle and take four or five cycles for one, and still fit in 16
registers together with x. It is tried with vectors of 8 and of 16 numbers; 16 is twice as fast where the processor
has AVX-512, and the compiler splits it in two elsewhere.

Bandwidth: every thread reads its share of an array (a sum), then computes a share of the triad a = b + s·c, with arrays
far larger than the processor's own caches. The triad counts 12 bytes a number, as STREAM does: two reads and one
write. The better of the two is the limit. Rows whose data stay in a cache can be above it.

The best of several repetitions counts, because these are limits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

Flat: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32]]

CHAINS: Final = 12
WIDTHS: Final = (8, 16)
LOOPS: Final = 3_000_000
NUMBERS: Final = 1 << 25  # 128 MiB an array
REPEATS: Final = 7


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


def _chains(width: int) -> Any:
    """An intrinsic that runs a number of steps of the chains, on vectors of `width` float32."""

    @intrinsic
    def run(typing: Any, steps: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.FloatType(), width)
            kind = ir.FunctionType(vector, [vector, vector, vector])
            fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{width}f32")
            x = _fill(context, builder, vector, width, args[1])
            starts = _different(builder, x)  # equal chains would be compiled into one
            before, body, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
            builder.branch(body)
            builder.position_at_end(body)
            left, chains = builder.phi(args[0].type), [builder.phi(vector) for _ in starts]
            results = [builder.call(fma, [chain, x, x]) for chain in chains]
            fewer = builder.sub(left, context.get_constant(types.int64, 1))
            builder.cbranch(builder.icmp_signed(">", fewer, context.get_constant(types.int64, 0)), body, after)
            for phi, first, then in zip([left, *chains], [args[0], *starts], [fewer, *results], strict=True):
                phi.add_incoming(first, before)
                phi.add_incoming(then, body)
            builder.position_at_end(after)
            return builder.extract_element(reduce(builder.fadd, results), context.get_constant(types.int32, 0))

        return types.float32(types.int64, types.float32), generate

    return run


def _different(builder: Any, x: Any) -> list[Any]:
    """A start for each chain: x, 2x, 3x and so on."""
    starts = [x]
    while len(starts) < CHAINS:
        starts.append(builder.fadd(starts[-1], x))
    return starts


def _fill(context: Any, builder: Any, vector: Any, width: int, number: Any) -> Any:
    """A vector whose elements are all one number."""
    filled = vector(None)
    for place in range(width):
        filled = builder.insert_element(filled, number, context.get_constant(types.int32, place))
    return filled


def _fma_kernel(width: int) -> Callable[[int, np.float32], float]:
    run = _chains(width)

    @numba.njit(nogil=True)
    def kernel(steps: int, start: np.float32) -> float:
        result: float = run(steps, start)
        return result

    return kernel


@numba.njit(nogil=True, fastmath={"reassoc", "nsz"})
def _read(a: Flat) -> float:
    total = np.float32(0)
    for i in range(a.size):
        total += a[i]
    return float(total)


@numba.njit(nogil=True)
def _triad(a: Flat, b: Flat, c: Flat, s: np.float32) -> None:
    for i in range(a.size):
        a[i] = b[i] + s * c[i]


def measure(threads: int) -> Limits:
    """Measure this machine with a number of threads."""
    half = np.float32(0.5)  # the chains converge to 1: no overflow, no subnormal numbers
    peak = 0.0
    for width in WIDTHS:
        kernel = _fma_kernel(width)
        kernel(1, half)
        seconds = _best(lambda _, kernel=kernel: kernel(LOOPS, half), [None] * threads)  # type: ignore[misc]
        peak = max(peak, threads * LOOPS * CHAINS * width * 2 / seconds)
    a, b, c = (np.ones(NUMBERS, np.float32) for _ in range(3))
    parts = [slice(NUMBERS * t // threads, NUMBERS * (t + 1) // threads) for t in range(threads)]
    _read(a[:1])
    _triad(a[:1], b[:1], c[:1], half)
    read = _best(lambda part: _read(a[part]), parts)
    triad = _best(lambda part: _triad(a[part], b[part], c[part], half), parts)
    return Limits(threads, peak, a.nbytes / read, 3 * a.nbytes / triad)


def _best(work: Callable[[Any], object], parts: Sequence[Any]) -> float:
    """The least seconds, from the first start to the last end, that the parts took together, each on its own thread.

    The threads live through all repetitions and start each one together: new ones share a processor at first.
    """
    together, spans = threading.Barrier(len(parts)), np.empty((len(parts), REPEATS, 2))

    def run(number: int) -> None:
        for turn in range(REPEATS):
            together.wait()
            spans[number, turn, 0] = time.perf_counter()
            work(parts[number])
            spans[number, turn, 1] = time.perf_counter()

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(run, range(len(parts))))
    return float(np.min(spans[:, :, 1].max(axis=0) - spans[:, :, 0].min(axis=0)))
