"""Memory brought near before it is used. It changes no result; a prefetch of memory that is not ours does nothing.

A processor sees for itself where a loop is going, but only up to the end of a page, and late: a sum over rows from main
memory is a tenth to a quarter faster when it is told, and a loop that writes an array of that size a third, because a
line must be there, and be its own, before it can be written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT, helper

LINE: Final = 64
AHEAD: Final = 2048  # bytes: some hundred nanoseconds of reading
SECOND_CACHE, FIRST_CACHE = 2, 3  # as LLVM numbers them
I8_POINTER: Final = ir.IntType(8).as_pointer()
I32: Final = ir.IntType(32)
PREFETCH: Final = ir.FunctionType(ir.VoidType(), [I8_POINTER, I32, I32, I32])


def bring_near(builder: Any, address: Any, writes: int, cache: int) -> None:
    """Have the line at an address brought into a cache; with `writes` 1 (not 0), to be written."""
    name = "llvm.prefetch.p0"
    function = builder.module.globals.get(name) or ir.Function(builder.module, PREFETCH, name)
    how = [ir.Constant(I32, number) for number in (writes, cache, 1)]
    builder.call(function, [builder.inttoptr(address, I8_POINTER), *how])


def _prefetch(writes: int, cache: int) -> Any:
    """The same for a kernel."""

    @intrinsic
    def prefetch(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bring_near(builder, args[0], writes, cache)
            return context.get_dummy_value()

        return types.void(types.int64), generate

    return prefetch


_read_line, _own_line, _first_line = _prefetch(0, SECOND_CACHE), _prefetch(1, FIRST_CACHE), _prefetch(0, FIRST_CACHE)


@helper
def _read(address: int, size: int) -> None:
    for offset in range(AHEAD, AHEAD + size, LINE):
        _read_line(address + offset)


@helper
def _read_near(address: int, size: int) -> None:
    for offset in range(0, size, LINE):
        _first_line(address + offset)


@helper
def _write_near(address: int, size: int) -> None:
    for offset in range(0, size, LINE):
        _own_line(address + offset)


@helper
def _write(address: int, size: int) -> None:
    _write_near(address + AHEAD, size)


def _plain(address: int, size: int) -> None:
    """In Python, nothing."""


reading_on: Final[Callable[[int, int], None]] = _read if JIT else _plain
"""`size` bytes at an address are about to be read: have those `AHEAD` of them brought into the second-level cache."""

writing_on: Final[Callable[[int, int], None]] = _write if JIT else _plain
"""`size` bytes at an address are about to be written: have those `AHEAD` of them brought near for that."""

read_near: Final[Callable[[int, int], None]] = _read_near if JIT else _plain
"""Have the `size` bytes at an address brought into the first-level cache: few, and other work lies before their use."""

write_near: Final[Callable[[int, int], None]] = _write_near if JIT else _plain
"""The same of what is to be written."""
