"""The array types at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.shapes import arrays

FLAT: Any = arrays.FlatF32


@pytest.mark.parametrize(
    ("array", "fits"),
    [
        (np.zeros(3, np.float32), True),
        (np.zeros(0, np.float32), True),
        (np.zeros((1, 3), np.float32), False),
        (np.zeros(3, np.float64), False),
        ([0.0], False),
    ],
)
def test_flat_arrays_have_one_axis_of_float32(array: Any, fits: bool) -> None:
    assert isinstance(array, FLAT) == fits
