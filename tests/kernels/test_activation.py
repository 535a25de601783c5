"""The activations' kernels over several chunks. Their values and edge values are tested with the layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import activation
from bendtorch.kernels.mapping import CHUNK
from tests.support.arrays import same_bits, special_numbers
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

NAMES = ("relu", "silu", "gelu", "gelu_erf")


@pytest.mark.parametrize("size", [1, CHUNK + 1, 3 * CHUNK + 17])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits_at_any_number_of_threads(name: str, size: int) -> None:
    """Also at any place in an array, in the middle of a vector register or at its end."""
    forward, backward = getattr(activation, f"{name}_forward"), getattr(activation, f"{name}_backward")
    x, dy = special_numbers(0, 1, shrunk(size, size % 100)), special_numbers(1, 1, shrunk(size, size % 100))

    def compute() -> tuple[Any, Any]:
        y, dx = np.empty_like(x), np.empty_like(x)
        forward(x, y)
        backward(dy, x, dx)
        return y, dx

    (y, dx), *others = at_every_count(compute)
    for other_y, other_dx in others:
        assert same_bits(y, other_y)
        assert same_bits(dx, other_dx)
    turned_x, turned_dy = np.ascontiguousarray(x[:, ::-1]), np.ascontiguousarray(dy[:, ::-1])
    turned_y, turned_dx = np.empty_like(x), np.empty_like(x)
    forward(turned_x, turned_y)
    backward(turned_dy, turned_x, turned_dx)
    assert np.array_equal(turned_y[:, ::-1], y, equal_nan=True)
    assert np.array_equal(turned_dx[:, ::-1], dx, equal_nan=True)


@pytest.mark.parametrize("size", [1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17])
def test_relu_is_exact(size: int) -> None:
    x, dy = special_numbers(0, 1, shrunk(size, size % 100)), special_numbers(1, 1, shrunk(size, size % 100))
    y, dx = np.empty_like(x), np.empty_like(x)
    activation.relu_forward(x, y)
    activation.relu_backward(dy, y, dx)
    assert same_bits(y, np.where(x < 0, np.float32(0), x))
    assert same_bits(dx, np.where(y <= 0, np.float32(0), dy))
