"""What has one rounding, the larger of two numbers, signs and bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.vecmath.bits import bits, fma, from_bits, maximum, with_sign
from tests.support.elementary import SPECIAL
from tests.support.kernels import compiled

words = st.integers(0, 2**32 - 1)


def as_float(word: int) -> Any:
    return np.uint32(word).view(np.float32)


@compiled
def run_maximum(a: Any, b: Any) -> Any:
    return maximum(a, b)


@given(a=words, b=words)
def test_the_larger_number(a: int, b: int) -> None:
    x, y = as_float(a), as_float(b)
    largest = run_maximum(x, y)
    if np.isnan(x) or np.isnan(y):
        assert np.isnan(largest)
    else:
        assert largest == max(x, y) == run_maximum(y, x)


@compiled
def run_fma(a: Any, b: Any, c: Any) -> Any:
    return fma(a, b, c)


@compiled
def run_with_sign(size: Any, sign: Any) -> Any:
    return with_sign(size, sign)


@compiled
def there_and_back(x: Any) -> Any:
    return from_bits(np.int32(bits(x)))


def test_fma_rounds_once() -> None:
    """1 + 2^-12 squared is 1 + 2^-11 + 2^-24, whose last term a rounded product has lost."""
    a = np.float32(1 + 2.0**-12)
    assert run_fma(a, a, np.float32(-(1 + 2.0**-11))) == 2.0**-24
    assert a * a - np.float32(1 + 2.0**-11) == 0


@pytest.mark.parametrize("size", SPECIAL)
@pytest.mark.parametrize("sign", SPECIAL)
def test_with_sign(size: Any, sign: Any) -> None:
    result = run_with_sign(size, sign)
    assert np.signbit(result) == np.signbit(sign)
    assert np.array_equal(np.abs(result), np.abs(size), equal_nan=True)


@given(word=words)
def test_bits_and_back(word: int) -> None:
    x = as_float(word)
    assert np.float32(there_and_back(x)).tobytes() == x.tobytes() or np.isnan(x)
