"""ReLU's kernels over several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.relu import CHUNK, relu_backward, relu_forward
from tests.support.arrays import same_bits, special_numbers
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

FORWARD: Any = relu_forward
BACKWARD: Any = relu_backward


@pytest.mark.parametrize("size", [1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17])
def test_every_number_at_any_number_of_threads(size: int) -> None:
    x, dy = special_numbers(0, 1, shrunk(size, size % 100)), special_numbers(1, 1, shrunk(size, size % 100))

    def compute() -> tuple[Any, Any]:
        y, dx = np.empty_like(x), np.empty_like(x)
        FORWARD(x, y)
        BACKWARD(y, dy, dx)
        return y, dx

    for y, dx in at_every_count(compute):
        assert same_bits(y, np.where(x < 0, np.float32(0), x))
        assert same_bits(dx, np.where(y <= 0, np.float32(0), dy))
