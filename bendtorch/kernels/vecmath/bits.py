"""What the elementary functions are built from: one rounding for a·b + c, maxima, bits and signs.

An fma counts as two FLOPs, the rest as none. Each has a plain twin for the JIT switched off.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT

F32: Final = ir.FloatType()
I32: Final = ir.IntType(32)


@intrinsic
def _fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float32(types.float32, types.float32, types.float32), generate


@intrinsic
def _maximum(typing: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(F32, [F32, F32])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.maximum.f32"), args)

    return types.float32(types.float32, types.float32), generate


@intrinsic
def _with_sign(typing: Any, size: Any, sign: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(F32, [F32, F32])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.copysign.f32"), args)

    return types.float32(types.float32, types.float32), generate


@intrinsic
def _from_bits(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], F32)

    return types.float32(types.int32), generate


@intrinsic
def _bits(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], I32)

    return types.int32(types.float32), generate


def _plain_fma(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """With one rounding to float32, but for a rare double rounding."""
    return np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def _plain_with_sign(size: np.float32, sign: np.float32) -> np.float32:
    return np.float32(np.copysign(size, sign))


def _plain_from_bits(x: np.int32) -> np.float32:
    return np.int32(x).view(np.float32)


def _plain_bits(x: np.float32) -> np.int32:
    return np.float32(x).view(np.int32)


fma: Final = _fma if JIT else _plain_fma
"""a·b + c, rounded once."""
maximum: Final = _maximum if JIT else np.maximum
"""The larger of two; NaN where one of them is. In any order, so a loop of it runs in vector lanes."""
with_sign: Final = _with_sign if JIT else _plain_with_sign
"""A number of the size of the first and the sign of the second."""
from_bits: Final = _from_bits if JIT else _plain_from_bits
"""The float32 of a pattern of bits."""
bits: Final = _bits if JIT else _plain_bits
"""A float32's pattern of bits, as an int32."""
