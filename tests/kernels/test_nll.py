"""The kernels of the negative log-likelihood, over several chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.kernels.nll import CHUNK, nll_gradient, nll_value
from tests.support.arrays import labels, numbers
from tests.support.sizes import shrunk

VALUE: Any = nll_value
GRADIENT: Any = nll_gradient


def test_every_row_of_every_chunk() -> None:
    n, c = shrunk(3 * (CHUNK // 100) + 1, 20), 100
    y, target, weights = numbers(0, n, c), labels(1, n, c), np.arange(c, dtype=np.float32)
    dy = np.full((n, c), 7, np.float32)
    GRADIENT(target, weights, 5, dy)
    share = np.where(target == 5, 0, weights[target].astype(np.float64))
    share /= share.sum()
    wanted = np.zeros((n, c))
    wanted[np.arange(n), target] = -share
    assert np.allclose(dy, wanted, rtol=1e-7, atol=0)
    assert np.isclose(VALUE(y, target, weights, 5), (wanted * y).sum(), rtol=1e-12)


def test_where_nothing_counts_the_mean_is_zero() -> None:
    y, dy = np.full((2, 3), np.inf, np.float32), np.full((2, 3), 7, np.float32)
    GRADIENT(np.array([1, 1]), np.ones(3, np.float32), 1, dy)
    assert VALUE(y, np.array([1, 1]), np.ones(3, np.float32), 1) == 0
    assert not dy.any()
