"""MaxPool2d: the checks of every layer, ties and NaN, translation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layers import MaxPool2d
from tests.support import images
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import rows, seeds

LARGE = (40, 5, 20, 21, 3)
layer: Any = MaxPool2d

test_side_by_side = check_layer(MaxPool2d, images.pool_sizes(), images.max_pool2d, large=LARGE)
test_with_stride_and_padding = check_layer(
    MaxPool2d, images.pool_sizes(least=2), images.max_pool2d, large=LARGE, stride=(1, 2, 3), padding=(0, 1)
)


@given(sizes=images.pool_sizes(least=2), n=rows, seed=seeds, padding=st.sampled_from([0, 1]))
def test_ties_and_special_values(sizes: tuple[int, ...], n: int, seed: int, padding: int) -> None:
    """The first of equals takes the gradient, the last NaN wins, -inf alone wins against no padding."""
    c, h, w, k = sizes
    choice = np.array([np.nan, -np.inf, -np.inf, -np.inf, 0.0, 1.0, 1.0, np.inf], np.float32)
    x = np.random.default_rng(seed).choice(choice, (n, c * h * w))
    pool, judge = layer(n, *sizes, stride=k, padding=padding), images.max_pool2d(n, *sizes, stride=k, padding=padding)
    dy = numbers(seed, *pool.info.gives.shape)
    forward = pool.fwd((), x)
    assert judge.forward((), x.astype(np.float64)).holds(forward.y)
    dx = pool.bwd((), forward.s, dy, ()).dx  # windows lie side by side, so each number of dy moves to one cell
    assert judge.backward((), x.astype(np.float64), dy.astype(np.float64)).dx.holds(dx)


@given(sizes=images.pool_sizes(), n=rows, seed=seeds, down=st.integers(0, 2), right=st.integers(0, 2))
def test_commutes_with_translation_inside_the_borders(
    sizes: tuple[int, ...], n: int, seed: int, down: int, right: int
) -> None:
    """L68, with stride 1."""
    c, h, w, k = sizes
    image = numbers(seed, n, c * (h + down) * (w + right)).reshape(n, c, h + down, w + right)
    whole = layer(n, c, h + down, w + right, k, stride=1).fwd((), images.flat(image)).y
    moved = layer(n, c, h, w, k, stride=1).fwd((), images.flat(image[:, :, down:, right:]).copy()).y
    inside = whole.reshape(n, c, h + down - k + 1, w + right - k + 1)[:, :, down:, right:]
    assert same_bits(images.flat(inside).copy(), moved)


def test_example() -> None:
    pool = MaxPool2d(1, 1, 2, 4, 2)
    forward = pool.fwd((), np.array([[1, 5, 2, 2, 5, 3, np.nan, np.nan]], np.float32))
    assert same_bits(forward.y, np.array([[5, np.nan]], np.float32))
    dx = pool.bwd((), forward.s, np.array([[3, 7]], np.float32), ()).dx
    assert dx.tolist() == [[0, 3, 0, 0, 0, 0, 0, 7]]


def test_a_row_of_minus_infinity_is_not_mistaken_for_padding() -> None:
    pool = layer(1, 1, 16, 16, 3, stride=2, padding=1)
    forward = pool.fwd((), np.full((1, 256), -np.inf, np.float32))
    assert np.all(forward.y == -np.inf)
    dx = pool.bwd((), forward.s, np.ones_like(forward.y), ()).dx
    assert dx.sum() == forward.y.size
    assert dx[0, 0] == 1


def test_impossible_windows_are_refused() -> None:
    with pytest.raises(ConfigError, match="padding is at most half of the window, got 2 for a window of 3; take at mo"):
        layer(1, 1, 9, 9, 3, padding=2)
    with pytest.raises(ShapeError, match=r"MaxPool2d\(1, 1, 9, 2, 3\): the window is 3 wide, the image only 2;"):
        layer(1, 1, 9, 2, 3)
    with pytest.raises(ShapeError, match=r"MaxPool2d\(0, 1, 65536, 32768, 3\): places are kept in 32 bits"):
        layer(0, 1, 1 << 16, 1 << 15, 3)
    with pytest.raises(ShapeError, match="size stride must be at least 1, got 0"):
        layer(1, 1, 9, 9, 3, stride=0)
