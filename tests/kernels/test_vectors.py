"""The parts of our LLVM code by themselves: loops that run so many times, masks, what the compiler must not see."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import ir

from bendtorch.kernels import vectors
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.machine_code import provide
from bendtorch.kernels.vectors import I64, LANES, SUPPORTED
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import seeds

pytestmark = pytest.mark.skipif(not (JIT and SUPPORTED), reason="this processor's products are OpenBLAS's")


def compiled(name: str, count: int, write: Callable[[Any, Any], Any]) -> Any:
    """A function of `count` integers, whose code `write(builder, arguments)` gives; it returns what that does."""

    def build() -> ir.Module:
        module = ir.Module(name)
        function = ir.Function(module, ir.FunctionType(I64, [I64] * count), name)
        builder = ir.IRBuilder(function.append_basic_block())
        after, result = write(builder, function.args)
        after.ret(result)
        return module

    provide(name, build, (name,))
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * count)(llvm.address_of_symbol(name) or 0)


def _powers(builder: Any, args: Any) -> Any:
    """The sum of i·j for i below the first number and j below the second: a loop in a loop."""
    zero, one = ir.Constant(I64, 0), ir.Constant(I64, 1)

    def inner(builder: Any, states: list[Any]) -> Any:
        i, j, total = states
        return builder, [i, builder.add(j, one), builder.add(total, builder.mul(i, j))]

    def outer(builder: Any, states: list[Any]) -> Any:
        i, total = states
        builder, (_, _, total) = vectors.repeated(builder, args[1], [i, zero, total], inner)
        return builder, [builder.add(vectors.opaque(builder, i), one), total]

    after, (_, total) = vectors.repeated(builder, args[0], [zero, zero], outer)
    return after, total


@given(m=st.integers(-2, 9), n=st.integers(-2, 9))
def test_loops_run_so_many_times_or_never(m: int, n: int) -> None:
    assert compiled("test_powers", 2, _powers)(m, n) == sum(i * j for i in range(m) for j in range(n))


def _masked(builder: Any, args: Any) -> Any:
    source, target, count = args
    inside = vectors.mask(builder, count, 0)
    numbers_of = vectors.load(builder, vectors.at(builder, source, 4), inside)
    vectors.store(builder, numbers_of, vectors.at(builder, target, 0), inside)
    return builder, count


@given(count=st.integers(-1, LANES + 1), seed=seeds)
def test_only_lanes_inside_are_read_and_written(count: int, seed: int) -> None:
    x, out = numbers(seed, LANES + 1), np.full(LANES, np.nan, np.float32)
    compiled("test_masked", 3, _masked)(x.ctypes.data, out.ctypes.data, count)
    inside = min(max(count, 0), LANES)
    assert same_bits(out[:inside], x[1 : 1 + inside])
    assert np.all(np.isnan(out[inside:]))


def _splatted(builder: Any, args: Any) -> Any:
    number = builder.load(builder.inttoptr(args[0], vectors.F32.as_pointer()))
    everywhere = vectors.mask(builder, ir.Constant(I64, LANES), 0)
    vectors.store(builder, vectors.splat(builder, number), vectors.at(builder, args[1], 0), everywhere)
    return builder, args[0]


@given(seed=seeds)
def test_one_number_in_every_lane(seed: int) -> None:
    x, out = numbers(seed, 1), np.full(LANES, np.nan, np.float32)
    compiled("test_splatted", 2, _splatted)(x.ctypes.data, out.ctypes.data)
    assert same_bits(out, np.full(LANES, x[0]))
