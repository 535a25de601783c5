"""A vector of numbers as one value: what stays in a register from row to row of a loop, which no array would.

    top = same(LOWEST)
    for j in range(n):
        top = maximum(top, lanes_at(address + j * step))
    put_lanes(top, out)

LLVM turns a loop over an array into vector code by itself, but it keeps nothing of an array that is written in
registers, and makes no vectors at all where it cannot see that two arrays lie apart. Here both are said. A value has
`LANES` numbers; `+`, `-`, `*` take two of them, or one and a number, and so do the functions of `vecmath` that are made
of these, of `fma`, `maximum`, `at_least` and bits alone. A processor with narrower vectors takes several for each.

64 bytes are read or written where a value is loaded or stored, and nowhere else. With the JIT off it is a numpy array.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from bendtorch.kernels.compile import JIT

LANES: Final = 16
I32: Final = ir.IntType(32)
F32: Final = ir.FloatType()
BYTES: Final = ir.Constant(I32, 4)  # no address need be a multiple of more
ORDER: Final = ir.VectorType(I32, LANES)
ITEMS: Final = {types.float32: F32, types.int32: I32}

Lanes: TypeAlias = np.float32
"""To mypy, and to who reads an expression, it is a number."""


class LanesType(types.Type):
    """Numba's type of a value."""

    def __init__(self, item: Any) -> None:
        super().__init__(name=f"lanes({item})")
        self.item = item


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    """A vector of LLVM's."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, vector_of(kind.item))


FLOATS: Final = LanesType(types.float32)
INTEGERS: Final = LanesType(types.int32)


def vector_of(item: Any) -> Any:
    """LLVM's vector of numbers of a type of numba's."""
    return ir.VectorType(ITEMS[item], LANES)


def common(*kinds: Any) -> Any:
    """What an operation on such values gives: lanes if one of them is, else a number."""
    return next((kind for kind in kinds if isinstance(kind, LanesType)), None)


def spread(builder: Any, value: Any) -> Any:
    """A number in all lanes; lanes as they are."""
    if isinstance(value.type, ir.VectorType):
        return value
    nothing = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ORDER, [0] * LANES))


def _add_operator(function: Any, of_floats: str, of_integers: str) -> None:
    """Let an operator of Python's take lanes and numbers."""

    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            kind = common(*args) if len(args) == 2 else None
            if kind is None:
                return None
            return signature(kind, *(kind if isinstance(arg, LanesType) else kind.item for arg in args))

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:
        name = of_floats if made.return_type.item == types.float32 else of_integers
        return getattr(builder, name)(*(spread(builder, value) for value in values))

    infer_global(function)(Template)
    for left, right in ((LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)):
        lower_builtin(function, left, right)(generate)


_add_operator(operator.add, "fadd", "add")
_add_operator(operator.sub, "fsub", "sub")
_add_operator(operator.mul, "fmul", "mul")


def _place(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, vector_of(types.float32).as_pointer())


@intrinsic
def _lanes_at(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        return builder.load(_place(builder, args[0]), align=4)

    return FLOATS(types.int64), generate


@intrinsic
def _put_lanes(typing: Any, value: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        builder.store(args[0], _place(builder, args[1]), align=4)
        return context.get_dummy_value()

    return types.void(FLOATS, types.int64), generate


@intrinsic
def _same(typing: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        return spread(builder, args[0])

    return FLOATS(types.float32), generate


@intrinsic
def _instead(typing: Any, count: Any, other: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        numbers = ir.Constant(ORDER, list(range(LANES)))
        mask = builder.icmp_signed("<", numbers, spread(builder, builder.trunc(args[0], I32)))
        return builder.select(mask, spread(builder, args[1]), args[2])

    return FLOATS(types.int64, types.float32, FLOATS), generate


@intrinsic
def _inverse(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        one = spread(builder, ir.Constant(F32, 1.0))
        return builder.fdiv(one, args[0])

    return FLOATS(FLOATS), generate


@intrinsic
def _has_nan(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, made: Any, args: Any) -> Any:
        mask = builder.bitcast(builder.fcmp_unordered("uno", args[0], args[0]), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", mask, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(FLOATS), generate


def _numbers(address: int) -> Any:
    return np.ctypeslib.as_array((ctypes.c_float * LANES).from_address(int(address)))


def _plain_lanes_at(address: int) -> Any:
    return _numbers(address).copy()


def _plain_put_lanes(value: Any, address: int) -> None:
    np.copyto(_numbers(address), value)


def _plain_same(number: np.float32) -> Any:
    return np.full(LANES, number, np.float32)


def _plain_inverse(value: Any) -> Any:
    return np.float32(1) / value


def _plain_has_nan(value: Any) -> bool:
    return bool(np.isnan(value).any())


def _plain_instead(count: int, other: np.float32, value: Any) -> Any:
    return np.where(np.arange(LANES) < count, other, value)


lanes_at: Final[Callable[[int], Lanes]] = _lanes_at if JIT else _plain_lanes_at
"""The numbers from an address on."""
put_lanes: Final[Callable[[Lanes, int], None]] = _put_lanes if JIT else _plain_put_lanes
"""Numbers to an address."""
same: Final[Callable[[np.float32], Lanes]] = _same if JIT else _plain_same
"""One number in all lanes."""
inverse: Final[Callable[[Lanes], Lanes]] = _inverse if JIT else _plain_inverse
"""1 / x."""
has_nan: Final[Callable[[Lanes], bool]] = _has_nan if JIT else _plain_has_nan
"""Whether one of the numbers is NaN."""
instead: Final[Callable[[int, np.float32, Lanes], Lanes]] = _instead if JIT else _plain_instead
"""A number in the first `count` lanes, and a value's numbers in the others."""
