"""New matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import ops
from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import same_bits

MAKERS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "empty": ops.empty,
    "zeros": ops.zeros,
    "ones": ops.ones,
    "full": partial(ops.full, value=7),
}
sizes = st.integers(0, 40)


@given(n=sizes, c=sizes, value=st.floats(width=32))
def test_what_is_made(n: int, c: int, value: float) -> None:
    assert same_bits(ops.zeros(n, c), np.zeros((n, c), np.float32))
    assert same_bits(ops.ones(n, c), np.ones((n, c), np.float32))
    assert np.array_equal(ops.full(n, c, value), np.full((n, c), value, np.float32), equal_nan=True)
    assert same_bits(ops.full(n, c, -0.0), np.full((n, c), -0.0, np.float32))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("shape", [(0, 0), (3, 5), (700, 900)])
def test_every_one_is_writable_and_its_own(name: str, shape: tuple[int, int]) -> None:
    """Small ones, and large ones that use freed memory."""
    first, second = MAKERS[name](*shape), MAKERS[name](*shape)
    assert first.shape == shape
    assert first.dtype == np.float32
    assert first.flags.carray
    assert not np.shares_memory(first, second)


def test_zeros_are_zeros_in_memory_that_was_used() -> None:
    ops.full(700, 900, np.nan)
    assert not ops.zeros(700, 900).any()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("n", "c", "text"),
    [
        (-1, 3, "size n must be at least 0, got -1"),
        (3, -2, "size c must be at least 0, got -2"),
        (True, 3, "n must be an int, got bool True"),
        (3, 2.0, "c must be an int, got float 2.0"),
        ("3", 2, "n must be an int, got str '3'"),
    ],
)
def test_impossible_sizes_are_refused(name: str, n: Any, c: Any, text: str) -> None:
    with pytest.raises(ShapeError) as refused:
        MAKERS[name](n, c)
    assert str(refused.value) == f"{name}: {text}"


def test_what_is_no_number_is_refused() -> None:
    value: Any = "7"
    with pytest.raises(DtypeError, match=r"^full: value must be a number, got str$"):
        ops.full(2, 3, value)
    with pytest.raises(DtypeError, match=r"^full: value is 1e[+]39, which is beyond the range of float32$"):
        ops.full(2, 3, 1e39)
