"""The wrappers that make kernels: their flags, and what the JIT off makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.cache import KernelCache, cache_directory
from bendtorch.kernels.compile import JIT, helper, kernel, reduction
from tests.support.process import run_python


def divide(a: Any, b: Any) -> Any:
    return a / b


def total(x: Any) -> Any:
    result = np.float32(0)
    for i in range(x.size):
        result += x[i]
    return result


@pytest.mark.skipif(not JIT, reason="with the JIT off, the wrappers give the functions themselves")
def test_kernels_are_cached_and_run_without_the_gil() -> None:
    made: Any = kernel(divide)
    assert isinstance(made._cache, KernelCache) == (cache_directory() is not None)
    for wrapper in (kernel, helper, reduction):
        options = wrapper(divide).targetoptions  # type: ignore[attr-defined]
        assert options["nogil"] is True
        assert options["error_model"] == "numpy"
        assert not options.get("parallel")
        assert options.get("fastmath") in (None, False, {"reassoc", "contract", "nsz"})


@pytest.mark.skipif(JIT, reason="with the JIT on, the wrappers compile")
def test_with_the_jit_off_a_kernel_is_the_function() -> None:
    assert [wrapper(divide) for wrapper in (kernel, helper, reduction)] == [divide] * 3


@pytest.mark.skipif(not JIT, reason="numpy's own scalars warn, with the JIT off")
def test_division_by_zero_follows_numpy() -> None:
    made = helper(divide)
    assert made(1.0, 0.0) == np.inf
    assert np.isnan(made(0.0, 0.0))


def test_a_reduction_keeps_nan_and_infinity() -> None:
    made = reduction(total)
    x = np.ones(100, np.float32)
    assert made(x) == 100
    for special in (np.nan, np.inf, -np.inf):
        x[37] = special
        assert np.array_equal([made(x)], [np.float32(special)], equal_nan=True)


def test_the_flags_of_a_reduction_do_not_leak_into_what_it_calls() -> None:
    """A helper is compiled once for all its callers: with the flags of the first, bits would depend on the order."""

    def thrice(x: Any) -> Any:
        return x * np.float32(1e30) * np.float32(1e30) * np.float32(1e-30)

    inner = helper(thrice)

    def sum_of_products(x: Any) -> Any:
        result = np.float32(0)
        for i in range(x.size):
            result += inner(x[i])
        return result

    outer = reduction(sum_of_products)
    outer(np.zeros(3, np.float32))
    plain = thrice(np.float32(1e-30))  # from left to right this is 1; with the constants taken together, infinity or 0
    assert inner(np.float32(1e-30)) == plain
    if JIT:
        code: Any = inner
        assert not any(" reassoc " in text for text in code.inspect_llvm().values())


@pytest.mark.skipif(not JIT, reason="there is no code to look at with the JIT off")
def test_exp_is_not_reassociated_when_a_reduction_calls_it_first() -> None:
    """In a process of its own, where nothing is compiled yet: the errors of exp are 2^23 ulp otherwise."""
    out = run_python(
        """
        import numpy as np
        from bendtorch.kernels import rows, vecmath
        row = np.zeros(40, np.float32)
        rows.exp_row(row, np.float32(0), np.empty_like(row))
        vecmath.exp(np.float32(1))
        print(any(" reassoc " in code for code in vecmath.exp.inspect_llvm().values()))
        """,
        cold=True,
    )
    assert out.strip() == "False"
