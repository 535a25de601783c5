"""Kernels and arrays by their addresses: what a table names when a program runs, not when the program's code is made.

A kernel that another one calls by name becomes part of it and is compiled once more with it; one that is called by its
address is compiled when it is first wanted, by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.errors import ShapeError
from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.compile import JIT, kernel

F32: Final = np.dtype(np.float32)


@kernel
def _address(x: Flat) -> int:
    return int(x.ctypes.data)


def address_of(array: Any, size: int) -> int:
    """The address of an array that is what the code behind it takes it for: `size` float32 numbers, one by one.

    Raises `ShapeError` for anything else: nothing behind this looks at lengths again.
    """
    flags = array.flags
    if array.size != size or array.dtype != F32 or not (flags.c_contiguous and flags.aligned):
        raise ShapeError(
            f"an array of an expression was changed: expected {size} float32 numbers in C order, aligned; got"
            f" shape {list(array.shape)}, type {array.dtype}, strides {list(array.strides)}"
        )
    return _address(array.reshape(-1))  # three times as fast as to ask numpy


@intrinsic
def _call(typing: Any, address: Any, integers: Any) -> Any:
    kinds = tuple(integers)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(types.none, kinds)
        function = builder.inttoptr(args[0], kind.as_pointer())
        values = cgutils.unpack_tuple(builder, args[1])
        context.call_conv.call_function(builder, function, types.none, kinds, values)
        return context.get_dummy_value()

    return types.void(types.int64, integers), generate


def _code_of(kernel: Any, count: int) -> int:
    signature = (types.int64,) * count
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


_plain_kernels: Final[list[Callable[..., None]]] = []


def _plain_call(address: int, integers: tuple[int, ...]) -> None:
    with np.errstate(all="ignore"):
        _plain_kernels[address](*integers)


def _plain_code_of(kernel: Any, count: int) -> int:
    _plain_kernels.append(kernel)
    return len(_plain_kernels) - 1


code_of: Final[Callable[[Any, int], int]] = functools.cache(_code_of if JIT else _plain_code_of)
"""The address of a kernel that takes a number of integers and gives nothing. Compiles it, and keeps it for ever."""
call: Final = _call if JIT else _plain_call
"""`call(address, integers)`: the kernel at an address, which must not raise, with a tuple of integers."""
