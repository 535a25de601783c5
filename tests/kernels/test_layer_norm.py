"""LayerNorm's kernels over several chunks and runs of rows: every row as it is alone, at any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.layer_norm import layer_norm_backward, layer_norm_forward
from bendtorch.kernels.row_runs import ROWS
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

FORWARD: Any = layer_norm_forward
BACKWARD: Any = layer_norm_backward


def compute(x: Any, dy: Any, w: Any, b: Any) -> tuple[Any, ...]:
    """y, the statistics, dx, and the gradients of w and b."""
    n, y, dx, gw, gb = len(x), np.empty_like(x), np.empty_like(x), np.zeros_like(w), np.zeros_like(b)
    statistics = np.empty((n, 3), np.float32)
    FORWARD(x, w, b, 1e-5, y, statistics)
    BACKWARD(x, statistics, w, dy, dx, gw, gb)
    return y, statistics, dx, gw, gb


@pytest.mark.parametrize(("n", "c"), [(1, 1), (ROWS + 1, 3), (shrunk(5001, 40), 7), (shrunk(130, 5), 513)])
def test_every_row_is_as_it_is_alone(n: int, c: int) -> None:
    x, dy, w, b = numbers(0, n, c), numbers(1, n, c), numbers(2, 1, c), numbers(3, 1, c)
    first, *others = at_every_count(lambda: compute(x, dy, w, b))
    assert all(all(map(same_bits, first, other)) for other in others)
    for r in range(0, n, 1 + n // 20):
        alone = compute(x[r : r + 1], dy[r : r + 1], w, b)
        assert all(same_bits(whole[r], one[0]) for whole, one in zip(first[:3], alone[:3], strict=True))


@pytest.mark.parametrize("mean", [0.0, 1e4, -1e7])
def test_statistics_have_twice_the_digits_of_float32(mean: float) -> None:
    x = numbers(4, 5, shrunk(1000, 50)) + np.float32(mean)
    w = np.ones((1, x.shape[1]), np.float32)
    high, k, dropped = compute(x, x, w, w)[1].astype(np.float64).T
    wide = x.astype(np.float64)
    assert high - dropped / k == pytest.approx(wide.mean(axis=1), rel=2.0**-46, abs=2.0**-46)
    assert k == pytest.approx(1 / np.sqrt(wide.var(axis=1) + 1e-5), rel=2.0**-23)
