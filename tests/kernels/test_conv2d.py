"""A convolution's kernels on whole numbers, whose sums are exact: every way to cut the work gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import conv2d
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.windows import Window
from tests.support.arrays import numbers, same_bits
from tests.support.images import flat, patches, put_back
from tests.support.threads import at_every_count

FORWARD: Any = conv2d.conv2d_forward
GRADIENTS: Any = conv2d.conv2d_gradients
INPUT: Any = conv2d.conv2d_input_gradient

CASES = {
    "no images": (0, 2, 5, 5, 3, 2, 2, 1, 0),
    "small images side by side": (70, 3, 5, 4, 6, 3, 2, 1, 1),
    "one window an image": (300, 2, 3, 3, 5, 3, 3, 1, 0),
    "rows in blocks": (2, 3, 40, 41, 5, 3, 3, 1, 1),
    "rows longer than a block": (1, 1, 2, 1500, 2, 2, 3, 1, 1),
    "channels in blocks": (2, 40, 18, 17, 3, 3, 3, 1, 1),
    "images are their own columns": (3, 20, 17, 19, 21, 1, 1, 1, 0),
    "one by one with a stride": (3, 5, 17, 19, 4, 1, 1, 2, 0),
    "one by one, small": (33, 5, 2, 3, 4, 1, 1, 1, 0),
    "windows apart": (5, 2, 23, 22, 3, 2, 3, 4, 1),
    "more padding than window": (3, 1, 4, 4, 2, 2, 2, 1, 3),
    "many outputs": (4, 2, 6, 6, 67, 2, 2, 1, 0),
}
SLOW = {"rows in blocks", "channels in blocks", "images are their own columns", "one window an image"}


def whole(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


@pytest.mark.parametrize("name", [name for name in CASES if JIT or name not in SLOW])
def test_sums_of_whole_numbers_are_exact_at_every_thread_count(name: str) -> None:
    n, c, h, w, o, kh, kw, stride, padding = CASES[name]
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    window = Window(c, h, w, kh, kw, stride, padding, rows, columns)
    x, dy = whole(1, n, c * h * w), whole(2, n, o * rows * columns)
    weight, bias = whole(3, o, c * kh * kw), whole(4, 1, o)

    def compute() -> list[Any]:
        y, dx = np.full_like(dy, np.nan), np.full_like(x, np.nan)
        gw, gb = numbers(5, *weight.shape).round(), numbers(6, *bias.shape).round()
        FORWARD(x, weight, bias, y, window)
        INPUT(weight, dy, dx, window)
        GRADIENTS(dy, x, gw, gb, window)
        return [y, dx, gw, gb]

    cells = patches(x.reshape(n, c, h, w), kh, kw, stride, padding).reshape(n, c * kh * kw, rows * columns)
    given = dy.reshape(n, o, rows * columns)
    back = np.matmul(weight.T, given).reshape(n, c, kh * kw, rows * columns)
    expected = [
        flat(np.matmul(weight, cells) + bias.reshape(o, 1)),
        flat(put_back(back, (n, c, h, w), kh, kw, stride, padding)),
        numbers(5, *weight.shape).round() + np.matmul(given, cells.transpose(0, 2, 1)).sum(axis=0),
        numbers(6, *bias.shape).round() + given.sum(axis=(0, 2)).reshape(1, o),
    ]
    for results in at_every_count(compute):
        for actual, wanted in zip(results, expected, strict=True):
            assert np.array_equal(actual, wanted)


def test_a_small_number_between_large_images_is_not_lost() -> None:
    """Sums over blocks are taken in float64."""
    window = Window(1, 1, 1100, 1, 1, 1, 0, 1, 1100)
    dy = np.zeros((3, 1100), np.float32)
    dy[:, 7] = 1e8, 1, -1e8
    gw, gb = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
    GRADIENTS(dy, np.ones((3, 1100), np.float32), gw, gb, window)
    assert gw.tolist() == gb.tolist() == [[1]]


def test_a_gradient_is_rounded_once_and_added() -> None:
    window, dy, x = Window(2, 6, 6, 3, 3, 1, 1, 6, 6), numbers(1, 9, 4 * 36), numbers(2, 9, 2 * 36)
    apart, into = np.zeros((4, 18), np.float32), numbers(3, 4, 18)
    before = into.copy()
    GRADIENTS(dy, x, apart, np.zeros((1, 4), np.float32), window)
    GRADIENTS(dy, x, into, np.zeros((1, 4), np.float32), window)
    assert same_bits(into, before + apart)
