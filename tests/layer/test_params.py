"""The record of functions over parameters, and the checks they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Params, matrix
from bendtorch.layer.params import check_room

CHECK_ROOM: Any = check_room


@given(size=st.integers(0, 9), offset=st.integers(-3, 12), count=st.integers(0, 9))
def test_room(size: int, offset: int, count: int) -> None:
    flat = np.zeros(size, np.float32)
    if offset >= 0 and offset + count <= size:
        CHECK_ROOM(flat, offset, count)
        return
    text = rf"^parameters: {count} numbers wanted from offset {offset}, the flat array holds {size}$"
    with pytest.raises(ShapeError, match=text):
        CHECK_ROOM(flat, offset, count)


@pytest.mark.parametrize(
    ("flat", "got"),
    [
        (np.zeros(4), r"float64 of shape \[4\]"),
        (np.zeros((2, 2), np.float32), r"float32 of shape \[2, 2\]"),
        (np.zeros(4, ">f4"), r">f4 of shape \[4\]"),
        ([0.0] * 4, "list"),
        (None, "NoneType"),
    ],
)
def test_a_flat_array_is_float32_of_one_axis(flat: Any, got: str) -> None:
    with pytest.raises(DtypeError, match=rf"^parameters: expected a flat float32 array, got {got}$"):
        CHECK_ROOM(flat, 0, 4)


def test_parameters_without_leaves_cannot_be_initialised() -> None:
    described: Any = matrix(2, 3)
    names = ("zeros", "step", "dump", "load", "store", "count")
    bare: Any = Params(**{name: getattr(described, name) for name in names})
    with pytest.raises(ConfigError, match="cannot initialise: the leaves describe 0 of 6 numbers"):
        bare.init(Key(0))
