"""What operations refuse, and what they take as it is or copy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.guards import guard_array, guard_axis, guard_number, guard_shape
from tests.support.arrays import LAYOUTS, WRONG_TYPES
from tests.support.grad import normal


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_of_every_layout_are_taken(layout: str) -> None:
    x = LAYOUTS[layout](normal(0, (3, 4)))
    taken = guard_array(x, "op", "x")
    assert taken.flags.carray
    assert np.array_equal(taken, normal(0, (3, 4)))
    assert np.shares_memory(taken, x) == (type(x) is np.ndarray and x.flags.carray)


def test_an_array_in_c_order_is_not_copied() -> None:
    x = normal(0, (3, 4))
    assert guard_array(x, "op", "x") is x


@pytest.mark.parametrize("wrong", WRONG_TYPES)
def test_other_types_are_refused(wrong: Any) -> None:
    with pytest.raises(DtypeError, match=rf"^op: x must be float32 in native byte order, got .*{np.dtype(wrong).name}"):
        guard_array(np.zeros(3, wrong), "op", "x")


def test_what_is_no_array_is_refused() -> None:
    for wrong in ([1.0], 1.0, None, "x"):
        with pytest.raises(DtypeError, match=rf"^op: x must be a float32 numpy array, got {type(wrong).__name__}"):
            guard_array(wrong, "op", "x")
    with pytest.raises(DtypeError, match="masked"):
        guard_array(np.ma.array([1.0], dtype=np.float32, mask=[True]), "op", "x")
    with pytest.raises(DtypeError, match="native byte order, got >f4"):
        guard_array(np.zeros(3, ">f4"), "op", "x")


def test_a_shape_that_is_asked_for() -> None:
    assert guard_array(np.float32(2), "op", "x", ()).shape == ()
    with pytest.raises(ShapeError, match=r"^op: x must have the shape \[3\], got \[2\]"):
        guard_array(normal(0, (2,)), "op", "x", (3,))


def test_numbers() -> None:
    for number in (2, 2.5, np.float32(2.5), np.int64(3), math.inf, -math.inf, np.float64(1e-50)):
        assert guard_number(number, "op", "x") == float(number)
    assert math.isnan(guard_number(math.nan, "op", "x"))
    for wrong in (True, None, "1", 1j, np.bool_(True)):
        with pytest.raises(DtypeError, match=r"^op: x must be a Var, a float32 array or a number, got"):
            guard_number(wrong, "op", "x")
    for wrong in (1e39, -1e39, 10**400):
        with pytest.raises(DtypeError, match=r"^op: x is .* beyond the range of float32"):
            guard_number(wrong, "op", "x")


def test_shapes_and_axes() -> None:
    assert guard_shape([2, np.int64(3)], "op") == (2, 3)
    assert guard_shape(4, "op") == (4,)
    assert guard_shape((), "op") == ()
    for wrong in ((2.0,), "23", None, (None,)):
        with pytest.raises(DtypeError, match=r"^op: a shape is a tuple of ints"):
            guard_shape(wrong, "op")
    assert [guard_axis(axis, 3, "op") for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for axis, rank in ((3, 3), (-4, 3), (0, 0)):
        with pytest.raises(ShapeError, match=rf"^op: axis {axis} of an array of {rank} axes"):
            guard_axis(axis, rank, "op")
