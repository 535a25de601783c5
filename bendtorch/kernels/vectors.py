"""What our LLVM code is made of: vectors, some of their lanes, and loops.

How wide a vector is follows from the processor: 16 numbers with AVX-512, 8 with AVX2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir

from bendtorch.kernels.machine_code import features

I32: Final = ir.IntType(32)
I64: Final = ir.IntType(64)
F32: Final = ir.FloatType()
FEATURES: Final = features()
WIDE: Final = "+avx512f" in FEATURES
SUPPORTED: Final = WIDE or {"+avx2", "+fma"} <= FEATURES
LANES: Final = 16 if WIDE else 8
VECTOR: Final = ir.VectorType(F32, LANES)
INDICES: Final = ir.VectorType(I32, LANES)
ALIGN: Final = ir.Constant(I32, 4)  # no address need be a multiple of more
ZEROS: Final = ir.Constant(VECTOR, [0.0] * LANES)
Body = Callable[[Any, list[Any]], tuple[Any, list[Any]]]


def called(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """A call of one of LLVM's own functions."""
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(function, args)


def at(builder: Any, address: Any, offset: int) -> Any:
    """A pointer to the vector `offset` bytes behind an address."""
    return builder.inttoptr(builder.add(address, ir.Constant(I64, offset)), VECTOR.as_pointer())


def splat(builder: Any, number: Any) -> Any:
    """A vector of equal numbers."""
    kind = ir.VectorType(number.type, LANES)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(INDICES, [0] * LANES))


def mask(builder: Any, count: Any, first: int) -> Any:
    """Which of the lanes, numbered from `first` on, are below `count`."""
    lanes = ir.Constant(INDICES, list(range(first, first + LANES)))
    return builder.icmp_signed("<", lanes, splat(builder, builder.trunc(count, I32)))


def load(builder: Any, pointer: Any, mask: Any) -> Any:
    """Numbers from an address; zeros, and no access, where the mask is off."""
    return called(builder, f"llvm.masked.load.v{LANES}f32.p0", VECTOR, pointer, ALIGN, mask, ZEROS)


def store(builder: Any, vector: Any, pointer: Any, mask: Any) -> None:
    """Numbers put at an address, where the mask is on."""
    called(builder, f"llvm.masked.store.v{LANES}f32.p0", ir.VoidType(), vector, pointer, ALIGN, mask)


def opaque(builder: Any, number: Any) -> Any:
    """The same number, but LLVM does not see that it is: else it keeps an address a row, more than there are registers.

    Without it a strip takes twice as long.
    """
    return builder.asm(ir.FunctionType(I64, [I64]), "", "=r,0", [number], False)


def repeated(before: Any, count: Any, states: list[Any], body: Body) -> tuple[Any, list[Any]]:
    """A loop that runs `body(builder, states) -> (builder, states)` `count` times, or never; what comes after it."""
    inside, after = (ir.IRBuilder(before.function.append_basic_block()) for _ in range(2))
    start, zero = inside.block, ir.Constant(I64, 0)
    left, *inner = [inside.phi(state.type) for state in (count, *states)]
    end, following = body(inside, inner)
    fewer = end.sub(left, ir.Constant(I64, 1))
    before.cbranch(before.icmp_signed(">", count, zero), start, after.block)
    end.cbranch(end.icmp_signed(">", fewer, zero), start, after.block)
    results = [after.phi(state.type) for state in states]
    phis, starts, ends = [left, *inner, *results], [count, *states, *states], [fewer, *following, *following]
    for phi, first, then in zip(phis, starts, ends, strict=True):
        phi.add_incoming(first, before.block)
        phi.add_incoming(then, end.block)
    return after, results
