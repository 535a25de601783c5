"""The maximum: places outside of a channel are refused before anything is written. More in test_pooling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import max_pool2d
from bendtorch.kernels.windows import Window

GRADIENT: Any = max_pool2d.max_pool2d_gradient
WINDOW = Window(2, 4, 6, 2, 2, 2, 0, 2, 3)


@pytest.mark.parametrize("wrong", [-1, 24, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("at", [0, 17, 35])
def test_a_place_outside_of_its_channel_is_refused(wrong: int, at: int) -> None:
    places, dy, dx = np.zeros((3, 12), np.int32), np.ones((3, 12), np.float32), np.full((3, 48), 7, np.float32)
    places.reshape(-1)[at] = wrong
    assert not GRADIENT(places, dy, dx, WINDOW)
    assert np.all(dx == 7)


def test_places_that_meet_add_up() -> None:
    places, dy, dx = np.full((1, 12), 23, np.int32), np.ones((1, 12), np.float32), np.empty((1, 48), np.float32)
    assert GRADIENT(places, dy, dx, WINDOW)
    assert dx.sum() == 12
    assert dx[0, [23, 47]].tolist() == [6, 6]
