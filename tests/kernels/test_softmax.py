"""Softmax's kernels over several chunks: every row as it is alone, at any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.softmax import softmax_backward, softmax_forward
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

FORWARD: Any = softmax_forward
BACKWARD: Any = softmax_backward


@pytest.mark.parametrize(("n", "c"), [(1, 1), (shrunk(5001, 7), 7), (shrunk(130, 5), 513), (3, shrunk(20_000, 60))])
def test_every_row_is_as_it_is_alone(n: int, c: int) -> None:
    x, dy = numbers(0, n, c, scale=3.0), numbers(1, n, c)

    def compute(x: Any, dy: Any) -> tuple[Any, Any]:
        y, dx = np.empty_like(x), np.empty_like(x)
        FORWARD(x, y)
        BACKWARD(y, dy, dx)
        return y, dx

    (y, dx), *others = at_every_count(lambda: compute(x, dy))
    assert all(same_bits(y, other[0]) and same_bits(dx, other[1]) for other in others)
    for r in range(0, n, 1 + n // 20):
        alone = compute(x[r : r + 1], dy[r : r + 1])
        assert same_bits(y[r], alone[0][0])
        assert same_bits(dx[r], alone[1][0])
