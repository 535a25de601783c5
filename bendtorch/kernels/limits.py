"""Kernels that do nothing but keep the machine busy: fused multiply-adds alone, reading alone, reading and writing.

`multiply_add`: every chunk runs a loop of twelve independent chains of `a = a·x + x` on whole vector registers, so
2·12·width FLOPs a step and no byte of memory. Twelve hide the latency of an FMA on processors that start two per cycle
and take four or five cycles for one, and still fit in 16 registers together with x. There are vectors of 8 and of 16
numbers; 16 is twice as fast where the processor has AVX-512, and the compiler splits it in two elsewhere.

`read`: the sum of an array, 4 bytes and a FLOP a number. `triad`: a = b + s·c, 12 bytes (two reads and one write, as
STREAM counts) and 2 FLOPs.

They are cut into chunks and run on the pool's threads, as every kernel is. With the JIT off there are no limits worth
the name, and `multiply_add` cannot be called.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.kernels.arrays import Flat, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.sums import block_sum

CHAINS: Final = 12
WIDTHS: Final = (8, 16)
CHUNK: Final = 1 << 18  # numbers a chunk: long enough for its start to cost nothing, and one for each of many threads


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


_narrow_chains, _wide_chains = map(_chains, WIDTHS)


@kernel
def _chains_chunk(chunk: int, wide: bool, steps: int, x: np.float32, out: Flat) -> None:
    out[chunk] = _wide_chains(steps, x) if wide else _narrow_chains(steps, x)


@kernel
def multiply_add(wide: bool, steps: int, x: np.float32, out: Flat) -> None:
    """Steps of the chains on vectors of 16 numbers, or of 8: once for each number of `out`, where the results go.

    With x = 0.5 they converge to 1: no overflow, no subnormal numbers.
    """
    parallel_for(_chains_chunk, out.size, (wide, steps, x, out))


@kernel
def _read_chunk(chunk: int, x: Flat, totals: Totals) -> None:
    low, high = chunk_bounds(chunk, CHUNK, x.size)
    totals[chunk] = np.float64(block_sum(x[low:high]))


@kernel
def read(x: Flat) -> float:
    """The sum of x."""
    totals = np.empty(chunks_of(x.size, CHUNK), np.float64)
    parallel_for(_read_chunk, totals.size, (x, totals))
    total: float = totals.sum()
    return total


@helper
def _triad(b: Flat, c: Flat, s: np.float32, a: Flat) -> None:
    for i in range(a.size):
        a[i] = b[i] + s * c[i]


@kernel
def _triad_chunk(chunk: int, b: Flat, c: Flat, s: np.float32, a: Flat) -> None:
    low, high = chunk_bounds(chunk, CHUNK, a.size)
    _triad(b[low:high], c[low:high], s, a[low:high])


@kernel
def triad(b: Flat, c: Flat, s: np.float32, a: Flat) -> None:
    """a = b + s·c."""
    parallel_for(_triad_chunk, chunks_of(a.size, CHUNK), (b, c, s, a))
