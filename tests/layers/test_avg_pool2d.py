"""AvgPool2d: the checks of every layer, padding that counts, the mean of a whole image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import ConfigError
from bendtorch.layers import AvgPool2d
from tests.support import images
from tests.support.arrays import numbers
from tests.support.layers import check_layer
from tests.support.sizes import rows, seeds

LARGE = (40, 5, 20, 21, 3)
layer: Any = AvgPool2d

test_side_by_side = check_layer(AvgPool2d, images.pool_sizes(), images.avg_pool2d, large=LARGE)
test_with_stride_and_padding = check_layer(
    AvgPool2d, images.pool_sizes(least=2), images.avg_pool2d, large=LARGE, stride=(1, 2, 3), padding=(0, 1)
)


@given(sizes=images.pool_sizes(), n=rows, seed=seeds)
def test_a_window_as_large_as_the_image_is_its_mean(sizes: tuple[int, ...], n: int, seed: int) -> None:
    c, h, _, _ = sizes
    x = numbers(seed, n, c * h * h)
    y = layer(n, c, h, h, h).fwd((), x).y
    mean = x.astype(np.float64).reshape(n, c, h * h).mean(axis=2)
    assert np.all(np.abs(y - mean) <= 2.0**-23 * np.abs(mean) + 1e-12)


def test_a_small_number_between_large_ones_is_not_lost() -> None:
    assert layer(1, 1, 2, 2, 2).fwd((), np.array([[1e8, 1, -1e8, 1]], np.float32)).y.tolist() == [[0.5]]


def test_example() -> None:
    """Padding counts: the corner's window has one cell of four on the image."""
    pool = AvgPool2d(1, 1, 3, 3, 2, padding=1)
    forward = pool.fwd((), np.arange(1, 10, dtype=np.float32).reshape(1, 9))
    assert forward.y.tolist() == [[0.25, 1.25, 2.75, 7.0]]
    dx = pool.bwd((), (), np.array([[4, 8, 12, 16]], np.float32), ()).dx
    assert dx.tolist() == [[1, 2, 2, 3, 4, 4, 3, 4, 4]]


def test_too_much_padding_is_refused() -> None:
    with pytest.raises(ConfigError, match="padding is at most half of the window, got 1 for a window of 1; take at mo"):
        layer(1, 1, 9, 9, 1, padding=1)
