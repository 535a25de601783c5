"""Cross-entropy's kernels: the loss alone has the bits of the loss with its gradient, however rows fall into chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.cross_entropy import cross_entropy, cross_entropy_value
from bendtorch.kernels.rows import CHUNK
from tests.support.arrays import labels, numbers
from tests.support.sizes import shrunk

WITH_GRADIENT: Any = cross_entropy
VALUE: Any = cross_entropy_value


@pytest.mark.parametrize("n", [1, 2, shrunk(CHUNK // 10 - 1, 3), shrunk(CHUNK // 10 + 1, 5), shrunk(5000, 7)])
def test_rows_in_chunks(n: int) -> None:
    y, target = numbers(n, n, 10, scale=4.0), labels(n, n, 10)
    losses = [WITH_GRADIENT(y[r : r + 1], target[r : r + 1], np.empty((1, 10), np.float32)) for r in range(n)]
    loss = WITH_GRADIENT(y, target, np.empty_like(y))
    assert loss == pytest.approx(np.mean(losses), rel=1e-14)
    assert VALUE(y, target) == loss
