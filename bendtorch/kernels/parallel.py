"""`parallel_for(body, chunks, arguments)`: a kernel's work, cut into chunks, on all threads.

    @kernel
    def _relu_chunk(chunk, x, y):
        low, high = chunk_bounds(chunk, CHUNK, x.size)
        for i in range(low, high): ...

    @kernel
    def relu(x, y):
        parallel_for(_relu_chunk, chunks_of(x.size, CHUNK), (x, y))

The number of chunks follows from the sizes alone and each chunk computes the same whoever runs it, so the bits do not
depend on the threads. A chunk is a call, so its loop is compiled and vectorised as a serial function is. Its arrays are
lent: no references to them are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.kernels.atomics import CHUNK_FUNCTION, I64
from bendtorch.kernels.compile import JIT, helper
from bendtorch.kernels.pool import run_chunks


@helper
def chunks_of(size: int, chunk: int) -> int:
    """How many chunks of at most `chunk` there are in `size`."""
    return (size + chunk - 1) // chunk


@helper
def chunk_bounds(number: int, chunk: int, size: int) -> tuple[int, int]:
    """What belongs to a chunk: from the first to before the second."""
    return number * chunk, min((number + 1) * chunk, size)


@intrinsic
def _closure(typing: Any, body: Any, arguments: Any) -> Any:
    """The addresses of a C function that runs a chunk of `body`, and of the arguments it runs it with.

    The arguments are put on the stack of the caller, which therefore must not return before the job is done.
    """
    argument_types = (types.int64, *arguments)
    body_signature = typing.resolve_function_type(body, argument_types, {})
    pair = types.UniTuple(types.int64, 2)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        compiled = body.dispatcher.overloads[body_signature.args]
        context.active_code_library.add_linking_library(compiled.library)
        slot = cgutils.alloca_once_value(builder, values[1])
        function = _trampoline(context, builder, compiled.fndesc, body_signature, slot.type)
        addresses = [builder.ptrtoint(function, I64), builder.ptrtoint(slot, I64)]
        return cgutils.pack_array(builder, addresses)

    return pair(body, arguments), generate


def _trampoline(context: Any, builder: Any, descriptor: Any, signature: Any, slot_type: Any) -> Any:
    """int64 f(int64 arguments, int64 chunk): unpack the arguments, call the body; 1 says that the body raised."""
    name = builder.module.get_unique_name(f"{descriptor.mangled_name}.chunk")
    function = ir.Function(builder.module, CHUNK_FUNCTION, name)
    function.linkage = "internal"
    inside = ir.IRBuilder(function.append_basic_block("entry"))
    arguments = inside.load(inside.inttoptr(function.args[0], slot_type))
    lent = _lent(context, inside, signature.args[1:], cgutils.unpack_tuple(inside, arguments))
    values = [function.args[1], *lent]
    status, _ = context.call_internal_no_propagate(inside, descriptor, signature, values)
    inside.ret(inside.zext(status.is_error, I64))
    return function


def _lent(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """The arguments, with arrays that own nothing: the caller keeps their memory alive.

    Numba counts a reference, atomically, for each slice that is cut from an array that owns its memory. Threads that
    count at one counter wait for each other: a pass over short rows would take twice or three times as long.
    """
    return [_unowned(context, builder, kind, value) for kind, value in zip(kinds, values, strict=True)]


def _unowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        inner: Any = kind
        parts = _lent(context, builder, inner.types, cgutils.unpack_tuple(builder, value))
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    return value


def _plain(body: Callable[..., None], chunks: int, arguments: tuple[Any, ...]) -> None:
    """The chunks one after another, in Python."""
    for chunk in range(chunks):
        body(chunk, *arguments)


@helper
def _parallel(body: Callable[..., None], chunks: int, arguments: tuple[Any, ...]) -> None:
    function, address = _closure(body, arguments)
    if run_chunks(function, address, chunks) != 0:
        raise MemoryError("a chunk of a kernel failed: no memory for its working space, or an index out of bounds")


parallel_for: Callable[[Callable[..., None], int, tuple[Any, ...]], None] = _parallel if JIT else _plain
"""Run `body(chunk, *arguments)` for every chunk. `body` is a kernel that returns nothing.

Raises `MemoryError` when a chunk failed: a kernel's own checks are made before, so that is all that can go wrong.
"""
