"""The mean's kernels: a sum forgets nothing that is small beside another; the rest in test_pooling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import avg_pool2d
from bendtorch.kernels.windows import Window

FORWARD: Any = avg_pool2d.avg_pool2d_forward


@pytest.mark.parametrize(("k", "columns"), [(2, 1), (2, 4), (2, 9), (3, 5), (4, 5)])
def test_a_sum_is_taken_in_float64(k: int, columns: int) -> None:
    window = Window(1, k, k * columns, k, k, k, 0, 1, columns)
    x, y = np.zeros((1, k * k * columns), np.float32), np.empty((1, columns), np.float32)
    image = x.reshape(k, k * columns)
    image[0, ::k], image[0, 1::k], image[1, ::k] = 2.0**30, 1, -(2.0**30)
    FORWARD(x, y, window)
    assert np.all(y == np.float32(1 / k**2))
