"""Elementary functions on float32 that LLVM turns into vector code: polynomials without branches.

numba calls the scalar C library for `math.exp`, which is up to 16 times slower. Every constant is a float32: inside a
kernel a float32 times a Python float is a float64.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT, helper

F32: Final = ir.FloatType()
I32: Final = ir.IntType(32)

LOG2_E: Final = np.float32(1.4426950408889634)
LN2_HIGH: Final = np.float32(0.693115234375)  # 11 bits, so that n · LN2_HIGH is exact
LN2_LOW: Final = np.float32(3.194618329871446e-05)
EXP_MOST: Final = np.float32(89.0)  # beyond: infinity
EXP_LEAST: Final = np.float32(-104.5)  # below: zero
# p(r) in exp(r) = 1 + r + r²·p(r), from reference/kernels/fit_exp.py
EXP_5: Final = np.float32(0.00019790341320913285)
EXP_4: Final = np.float32(0.0013944660313427448)
EXP_3: Final = np.float32(0.008333496749401093)
EXP_2: Final = np.float32(0.04166629537940025)
EXP_1: Final = np.float32(0.1666666567325592)
EXP_0: Final = np.float32(0.5)
ONE: Final = np.float32(1)
BIAS: Final = np.int32(127)
MANTISSA: Final = np.int32(23)


@intrinsic
def _fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float32(types.float32, types.float32, types.float32), generate


@intrinsic
def _nearest(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(F32, [F32]), "llvm.rint.f32")
        return builder.call(function, args)

    return types.float32(types.float32), generate


@intrinsic
def _to_int(typing: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fptosi(args[0], I32)

    return types.int32(types.float32), generate


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
    """a·b + c with one rounding to float32 (but for a rare double rounding), with the JIT off."""
    return np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def _plain_from_bits(x: np.int32) -> np.float32:
    return np.int32(x).view(np.float32)


def _plain_bits(x: np.float32) -> np.int32:
    return np.float32(x).view(np.int32)


fma: Final = _fma if JIT else _plain_fma
nearest: Final = _nearest if JIT else np.rint
to_int: Final = _to_int if JIT else np.int32
from_bits: Final = _from_bits if JIT else _plain_from_bits
bits: Final = _bits if JIT else _plain_bits


@helper
def ordered(x: np.float32) -> np.int32:
    """An integer that grows as the float does: -inf < ... < -0 < +0 < ... < inf < NaN, of either sign."""
    b = bits(x)
    return b ^ ((b >> np.int32(31)) & np.int32(0x7FFFFFFF)) if x == x else np.int32(0x7FFFFFFF)


@helper
def unordered(i: np.int32) -> np.float32:
    """`ordered`'s inverse."""
    return from_bits(i ^ ((i >> np.int32(31)) & np.int32(0x7FFFFFFF)))


@helper
def power_of_two(n: np.int32) -> np.float32:
    """2^n for n in -126 to 127."""
    return from_bits((n + BIAS) << MANTISSA)


@helper
def exp(x: np.float32) -> np.float32:
    """e^x to within 0.75 ulp for every float32, results below the normal range included; NaN gives NaN.

    With n the integer next to x / ln 2 and r = x - n·ln 2, e^x = 2^n · e^r. 2^n is applied as two powers, so that a
    result outside of the normal range is rounded once.
    """
    inside = x if x < EXP_MOST else EXP_MOST  # NaN becomes EXP_MOST here and is put back at the end
    inside = inside if inside > EXP_LEAST else EXP_LEAST
    n = nearest(inside * LOG2_E)
    exact = fma(n, -LN2_HIGH, inside)
    r = fma(n, -LN2_LOW, exact)
    lost = fma(n, -LN2_LOW, exact - r)  # what the rounding of r dropped
    p = fma(fma(fma(fma(fma(EXP_5, r, EXP_4), r, EXP_3), r, EXP_2), r, EXP_1), r, EXP_0)
    near = ONE + r
    e = near + ((r - (near - ONE)) + fma(p * r, r, lost))  # 1 + r exactly, as a sum of two
    whole = to_int(n)
    first = whole >> np.int32(1)
    y = e * power_of_two(first) * power_of_two(whole - first)
    return y if x == x else x
