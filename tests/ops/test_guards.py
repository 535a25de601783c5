"""What the operations' guards take and refuse beyond what every operation's own tests show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.ops import guards
from tests.support.arrays import numbers

operand: Any = guards.operand


def test_the_right_matrix_is_not_copied() -> None:
    x = numbers(0, 3, 4)
    assert operand(x, "op", "x") is x
    assert guards.operands(x, x, "op")[1] is x


@pytest.mark.parametrize(
    ("x", "error", "text"),
    [
        (numbers(0, 3), ShapeError, "op: x must be a matrix (two axes), got an array of shape [3]"),
        (np.float32(3) * np.ones((), np.float32), DtypeError, "op: x must be a float32 numpy array, got float32"),
        (numbers(0, 2, 3, 4), ShapeError, "op: x must be a matrix (two axes), got an array of shape [2, 3, 4]"),
        (
            np.zeros(3),
            DtypeError,
            "op: x must be float32 in native byte order, got <f8 (float64); convert it with x.astype(np.float32)",
        ),
        (None, DtypeError, "op: x must be a float32 numpy array, got NoneType"),
        (3.5, DtypeError, "op: x must be a float32 numpy array, got float"),
    ],
)
def test_what_is_no_matrix_is_refused(x: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as refused:
        operand(x, "op", "x")
    assert str(refused.value) == text


def test_masked_numbers_are_refused() -> None:
    masked = np.ma.masked_array(numbers(0, 2, 3), mask=[[False, True, False], [False, False, False]])
    with pytest.raises(DtypeError, match=r"^op: x has masked numbers"):
        operand(masked, "op", "x")


def test_numbers_are_rounded_to_nearest() -> None:
    assert guards.number(0.1, "op", "by") == np.float32(0.1)
    assert guards.number(np.finfo(np.float32).max, "op", "by") == np.finfo(np.float32).max
    for beyond in (10**400, -(10**39), np.float64(1e39)):
        with pytest.raises(DtypeError, match="beyond the range"):
            guards.number(beyond, "op", "by")
