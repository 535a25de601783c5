"""Cross-entropy's kernel: rows in chunks and blocks; the loss alone has the bits of the loss with its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.cross_entropy import cross_entropy
from bendtorch.kernels.rows import BLOCK, CHUNK, LONG
from tests.support.arrays import labels, numbers, same_bits
from tests.support.sizes import shrunk


def run(y: Any, target: Any, ignored: int = -1, smoothing: float = 0.0) -> tuple[float, Any]:
    """The loss and the gradient, with every class of weight 1."""
    dy, weights = np.full_like(y, 7), np.ones(y.shape[1], np.float32)
    loss = cross_entropy(y, target, weights, ignored, smoothing, 1.0, dy)
    nothing: Any = np.empty((0, y.shape[1]), np.float32)
    assert cross_entropy(y, target, weights, ignored, smoothing, 1.0, nothing) == loss
    return loss, dy


@pytest.mark.parametrize("smoothing", [0.0, 0.25])
@pytest.mark.parametrize("n", [1, 2, shrunk(CHUNK // 10 - 1, 3), shrunk(CHUNK // 10 + 1, 5), shrunk(5000, 7)])
def test_rows_in_chunks(n: int, smoothing: float) -> None:
    y, target = numbers(n, n, 10, scale=4.0), labels(n, n, 10)
    apart = [run(y[r : r + 1], target[r : r + 1], smoothing=smoothing) for r in range(n)]
    loss, dy = run(y, target, smoothing=smoothing)
    assert loss == pytest.approx(np.mean([one for one, _ in apart]), rel=1e-14)
    assert np.allclose(dy * n, np.concatenate([one for _, one in apart]), rtol=0, atol=2e-7)


def test_ignored_rows_in_chunks() -> None:
    n = shrunk(5000, 7)
    y, target = numbers(0, n, 10), labels(1, n, 10)
    loss, dy = run(y, target, ignored=3)
    kept = target != 3
    alone, gradient = run(y[kept], target[kept])
    assert loss == pytest.approx(alone, rel=1e-14)
    assert same_bits(dy[kept], gradient)
    assert not dy[~kept].any()


@pytest.mark.parametrize("blocks", [3, 1 + LONG // BLOCK])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_equal_rows_whatever_block_the_largest_number_is_in(place: int, blocks: int) -> None:
    """The largest in another block gives nearly the same loss and gradient, in another order."""
    block = shrunk(BLOCK, 1)
    y = np.full((1, blocks * block), 3, np.float32)
    y[0, place * block] = 30
    loss, dy = run(y, np.array([place * block]))
    assert loss == pytest.approx(np.log1p((blocks * block - 1) * np.exp(-27.0)), rel=1e-6)
    others = np.arange(blocks * block) != place * block
    assert np.allclose(dy[0][others], np.exp(-27.0), rtol=4e-7, atol=0)
