"""Arrays and kernels by their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ShapeError
from bendtorch.kernels.code_addresses import address_of, call, code_of
from bendtorch.kernels.compile import uncached_kernel
from bendtorch.kernels.panels import floats
from tests.support.arrays import LAYOUTS, numbers


@uncached_kernel
def double(out: int, x: int, size: int) -> None:
    result, a = floats(out, size), floats(x, size)
    for i in range(size):
        result[i] = a[i] + a[i]


@uncached_kernel
def negate(out: int, x: int, size: int) -> None:
    result, a = floats(out, size), floats(x, size)
    for i in range(size):
        result[i] = -a[i]


@uncached_kernel
def call_it(code: int, out: int, x: int, size: int) -> None:
    call(code, (out, x, size))


def test_a_kernel_called_by_its_address() -> None:
    x, out = numbers(0, 5), np.zeros(5, np.float32)
    call_it(code_of(double, 3), address_of(out[1:], 4), address_of(x, 5), 3)
    assert out.tolist() == [0, *(2 * x[:3]), 0]
    call_it(code_of(negate, 3), address_of(out, 5), address_of(x, 5), 1)
    assert out[0] == -x[0]
    assert code_of(double, 3) == code_of(double, 3) != code_of(negate, 3)


def test_the_address_of_an_array() -> None:
    x = numbers(0, 3, 4)
    for array in (x, x[1:], x[1, 2:], x[:0], np.zeros((), np.float32)):
        assert address_of(array, array.size) == array.__array_interface__["data"][0]


@pytest.mark.parametrize("layout", ["fortran", "transposed", "negative strides", "sliced", "unaligned"])
def test_no_address_of_another_layout(layout: str) -> None:
    with pytest.raises(ShapeError, match="expected 12 float32 numbers in C order"):
        address_of(LAYOUTS[layout](numbers(0, 3, 4)), 12)


@pytest.mark.parametrize(
    "array", [np.zeros(3), np.zeros(3, np.int32), np.zeros(2, np.float32), np.zeros(4, np.float32)]
)
def test_no_address_of_other_types_and_sizes(array: Any) -> None:
    with pytest.raises(ShapeError, match="expected 3 float32 numbers"):
        address_of(array, 3)
