"""What the elementary functions are built from: one rounding for a·b + c, maxima, bits and signs.

An fma counts as two FLOPs, the rest as none. Each has a plain twin for the JIT switched off.
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT
from bendtorch.kernels.lanes import FLOATS, I32, INTEGERS, LANES, LanesType, common, spread

EXPONENT: Final = 23  # the place of the exponent in a number's bits


def _of_floats(name: str, count: int) -> Any:
    """A function of LLVM's, of `count` float32 numbers or lanes of them, for kernels."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = isinstance(signature.return_type, LanesType)
        values = [spread(builder, arg) for arg in args] if lanes else list(args)
        kind = ir.FunctionType(values[0].type, [value.type for value in values])
        suffix = f"v{LANES}f32" if lanes else "f32"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.{suffix}"), values)

    def typed(*kinds: Any) -> Any:
        result = common(*kinds) or types.float32
        return result(*(kind if isinstance(kind, LanesType) else types.float32 for kind in kinds)), generate

    @intrinsic
    def two(typing: Any, a: Any, b: Any) -> Any:
        return typed(a, b)

    @intrinsic
    def three(typing: Any, a: Any, b: Any, c: Any) -> Any:
        return typed(a, b, c)

    return two if count == 2 else three


_fma, _maximum, _with_sign = _of_floats("fma", 3), _of_floats("maximum", 2), _of_floats("copysign", 2)


@intrinsic
def _at_least(typing: Any, x: Any, least: Any) -> Any:
    result = common(x, least) or types.float32

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, bound = (spread(builder, arg) for arg in args) if result == FLOATS else args
        return builder.select(builder.fcmp_ordered("<", value, bound), bound, value)

    return result(*(kind if isinstance(kind, LanesType) else types.float32 for kind in (x, least))), generate


def _recast(kind: Any, lanes: Any) -> Any:
    """A function that takes bits for numbers of another type."""

    @intrinsic
    def recast(typing: Any, x: Any) -> Any:
        result = lanes if isinstance(x, LanesType) else kind

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(result))

        source = x if isinstance(x, LanesType) else types.float32 if kind == types.int32 else types.int32
        return result(source), generate

    return recast


_from_bits, _bits = _recast(types.float32, FLOATS), _recast(types.int32, INTEGERS)


@intrinsic
def _as_exponent(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = ir.Constant(I32, EXPONENT)
        return builder.shl(args[0], spread(builder, places) if isinstance(x, LanesType) else places)

    kind = common(x) or types.int32
    return kind(kind), generate


def _plain_fma(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """With one rounding to float32, but for a rare double rounding."""
    return np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def _plain_with_sign(size: np.float32, sign: np.float32) -> np.float32:
    return np.float32(np.copysign(size, sign))


def _plain_from_bits(x: np.int32) -> np.float32:
    return np.int32(x).view(np.float32)


def _plain_at_least(x: np.float32, least: np.float32) -> np.float32:
    larger: Any = np.where(x < least, least, x)  # of numbers, and of lanes
    return cast("np.float32", larger[()])


def _plain_as_exponent(x: np.int32) -> np.int32:
    return x << np.int32(EXPONENT)


def _plain_bits(x: np.float32) -> np.int32:
    return np.float32(x).view(np.int32)


fma: Final = _fma if JIT else _plain_fma
"""a·b + c, rounded once."""
maximum: Final = _maximum if JIT else np.maximum
"""The larger of two; NaN where one of them is. In any order, so a loop of it runs in vector lanes."""
at_least: Final = _at_least if JIT else _plain_at_least
"""x, or a bound that it is below; NaN where x is."""
with_sign: Final = _with_sign if JIT else _plain_with_sign
"""A number of the size of the first and the sign of the second."""
from_bits: Final = _from_bits if JIT else _plain_from_bits
"""The float32 of a pattern of bits."""
bits: Final = _bits if JIT else _plain_bits
"""A float32's pattern of bits, as an int32."""
as_exponent: Final = _as_exponent if JIT else _plain_as_exponent
"""An integer in the place of a float32's exponent."""
