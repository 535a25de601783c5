"""Operations number by number: values, refusals, purity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.ops import elementwise
from tests.support.arrays import LAYOUTS, WRONG_TYPES, numbers, same_bits, special_numbers
from tests.support.sizes import rows, seeds, widths

UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "relu": lambda x: np.where(x < 0, 0.0, x),
}
NAMES: Final = pytest.mark.parametrize("name", UNARY)


def plus(a: Any, b: Any) -> Any:
    return a + b


def double(a: Any) -> Any:
    return a + a


@NAMES
@given(n=rows, c=widths, seed=seeds)
def test_values(name: str, n: int, c: int, seed: int) -> None:
    """How exact they are over all numbers is tested in `kernels/vecmath`."""
    x = special_numbers(seed, n, c)
    kept = x.copy()
    y = getattr(elementwise, name)(x)
    with np.errstate(all="ignore"):
        expected = UNARY[name](x.astype(np.float64)).astype(np.float32)
    assert y.shape == (n, c)
    assert y.dtype == np.float32
    assert np.allclose(y, expected, rtol=2e-7, atol=2e-45, equal_nan=True)
    assert same_bits(x, kept)
    assert not np.shares_memory(x, y)


@given(n=rows, c=widths, seed=seeds)
def test_map_and_zip(n: int, c: int, seed: int) -> None:
    a, b = numbers(seed, n, c), numbers(seed + 1, n, c)
    assert same_bits(elementwise.map(double, a), a + a)
    assert same_bits(elementwise.zip(plus, a, b), a + b)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout: str) -> None:
    x = numbers(0, 4, 5)
    other = LAYOUTS[layout](x)
    assert same_bits(elementwise.exp(other), elementwise.exp(x))
    assert same_bits(elementwise.zip(plus, other, x), x + x)


@NAMES
def test_other_arrays_are_refused(name: str) -> None:
    operation = getattr(elementwise, name)
    for wrong in WRONG_TYPES:
        with pytest.raises(DtypeError, match=f"^{name}: x must be float32"):
            operation(numbers(0, 2, 3).astype(wrong))
    for shape in ((3,), (2, 3, 4), ()):
        with pytest.raises(ShapeError, match=f"^{name}: x must be a matrix"):
            operation(np.zeros(shape, np.float32))
    for value in (None, 1.0, [[1.0]]):
        with pytest.raises(DtypeError, match=f"^{name}: x must be a float32 numpy array"):
            operation(value)


def test_what_map_and_zip_refuse() -> None:
    x: Any = numbers(0, 2, 3)
    for shape in ((3, 2), (1, 3), (2, 1)):
        with pytest.raises(ShapeError, match=r"^zip: b must be Mat\[2, 3\]"):
            elementwise.zip(plus, x, np.zeros(shape, np.float32))
    with pytest.raises(ConfigError, match=r"^map: f, the function .*plus .* must take one number"):
        elementwise.map(plus, x)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^zip: f must be a Python function of two numbers, got ufunc"):
        elementwise.zip(np.add, x, x)
