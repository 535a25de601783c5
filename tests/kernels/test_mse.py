"""The kernels of the mean squared error, over several blocks and chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.mse import CHUNK, mse, mse_value
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import shrunk

VALUE: Any = mse_value
BOTH: Any = mse


@pytest.mark.parametrize("size", [1, 1023, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17])
def test_every_number_of_every_chunk(size: int) -> None:
    size = shrunk(size, size % 50 + 1)
    y, target = numbers(0, 1, size), numbers(1, 1, size)
    room = np.full(size + 2, 7, np.float32)
    dy = room[1:-1].reshape(1, size)
    difference = y.astype(np.float64) - target
    loss = BOTH(y, target, dy)
    assert loss == VALUE(y, target)
    assert loss == pytest.approx(np.mean(difference**2), rel=1e-5)
    assert same_bits(dy, (y - target) * np.float32(2 / size))
    assert room[0] == room[-1] == 7
