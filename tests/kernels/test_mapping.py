"""Kernels over matrices from functions of numbers: every number of every chunk, vector code, and the disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch.kernels import activation, elementwise, vecmath
from bendtorch.kernels.compile import JIT, helper
from bendtorch.kernels.mapping import CHUNK, mapped, zipped
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.kernels import require_vectors
from tests.support.process import run_python
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import threads

COMPILED = pytest.mark.skipif(not JIT, reason="there is no code to look at with the JIT off")


@helper
def third_power(x: Any) -> Any:
    return x * x * x


@helper
def difference(a: Any, b: Any) -> Any:
    return a - b


cube, subtract = mapped(third_power), zipped(difference)


@given(n=rows, c=widths, seed=seeds)
def test_every_number(n: int, c: int, seed: int) -> None:
    """The inputs are only read."""
    for make in (numbers, special_numbers):
        a, b = make(seed, n, c), make(seed + 1, n, c)
        kept = a.copy(), b.copy()
        out, other = np.full((n, c), 7, np.float32), np.full((n, c), 7, np.float32)
        cube(a, out)
        subtract(a, b, other)
        with np.errstate(all="ignore"):
            assert np.array_equal(out, a * a * a, equal_nan=True)
            assert np.array_equal(other, a - b, equal_nan=True)
        assert same_bits(a, kept[0])
        assert same_bits(b, kept[1])


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 17])
def test_every_chunk_at_one_and_two_threads_and_nothing_beside(size: int) -> None:
    size = shrunk(size, size % 100)
    a, b = numbers(0, 1, size), numbers(1, 1, size)
    room = np.full(size + 2, 7, np.float32)
    out = room[1:-1].reshape(1, size)
    for count in (1, 2):
        with threads(count):
            out[...] = 7
            cube(a, out)
            assert same_bits(out, a * a * a)
            subtract(a, b, out)
            assert same_bits(out, a - b)
        assert room[0] == room[-1] == 7


def test_one_matrix_may_be_both_operands() -> None:
    a, out = numbers(0, 3, 5), np.empty((3, 5), np.float32)
    subtract(a, a, out)
    assert not out.any()


UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "exp": vecmath.exp,
    "log": vecmath.log,
    "tanh": vecmath.tanh,
    "sigmoid": vecmath.sigmoid,
    "erf": vecmath.erf,
    "relu": activation.relu,
    "silu": activation.silu,
    "gelu": activation.gelu,
    "gelu_erf": activation.gelu_erf,
}
BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "relu": activation.relu_gradient,
    "sigmoid": activation.sigmoid_gradient,
    "tanh": activation.tanh_gradient,
    "silu": activation.silu_gradient,
    "gelu": activation.gelu_gradient,
    "gelu_erf": activation.gelu_erf_gradient,
}


@COMPILED
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number_are_vector_code(name: str) -> None:
    function = UNARY[name]

    @helper
    def same(x: Any) -> Any:
        return function(x)

    kernel, x = mapped(same), np.zeros((3, 5), np.float32)
    kernel(x, np.empty_like(x))
    require_vectors(kernel)


@COMPILED
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers_are_vector_code(name: str) -> None:
    function = BINARY[name]

    @helper
    def same(a: Any, b: Any) -> Any:
        return function(a, b)

    kernel, x = zipped(same), np.zeros((3, 5), np.float32)
    kernel(x, x, np.empty_like(x))
    require_vectors(kernel)


@COMPILED
def test_functions_of_the_package_are_kept_on_disk_and_others_are_not() -> None:
    def stored(kernel: Any) -> bool:
        return type(kernel._cache).__name__ == "KernelCache"

    assert stored(elementwise.exp)
    assert stored(activation.silu_backward)
    assert not stored(cube)
    assert not stored(subtract)


PROGRAM: Final = """
import numpy as np
from bendtorch.kernels import activation, elementwise
x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
out = np.empty_like(x)
for kernel in (elementwise.exp, elementwise.tanh, activation.silu_forward, activation.gelu_erf_forward):
    kernel(x, out)
    print(out.tobytes().hex(), sum(kernel._cache_hits.values()))
"""


@COMPILED
def test_another_process_finds_each_kernel_under_its_own_name(tmp_path: Any) -> None:
    """They are all made from one piece of code, of which every process has other closures."""
    cold, warm = (run_python(PROGRAM, BENDTORCH_CACHE_DIR=str(tmp_path)).split() for _ in range(2))
    assert cold[0::2] == warm[0::2]
    assert len(set(cold[0::2])) == 4
    assert cold[1::2] == ["0"] * 4
    assert warm[1::2] == ["1"] * 4
