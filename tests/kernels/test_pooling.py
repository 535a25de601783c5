"""Pooling kernels beside numpy on whole numbers, in rows of few and of many windows, in one block and in several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import avg_pool2d as mean_kernels
from bendtorch.kernels import max_pool2d as max_kernels
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.pooling import lines_inside, room_of_block, windows_across, with_padding
from bendtorch.kernels.windows import Window
from tests.support.images import avg_pool2d, max_pool2d
from tests.support.threads import at_every_count

MAX: Any = max_kernels
MEAN: Any = mean_kernels

CASES = {
    "no images": (0, 2, 5, 5, 2, 2, 0),
    "few windows": (9, 3, 7, 6, 3, 2, 1),
    "many windows": (9, 3, 21, 30, 2, 2, 1),
    "windows that overlap": (3, 2, 17, 18, 4, 1, 2),
    "the image itself, shifted": (3, 2, 17, 18, 3, 1, 1),
    "windows apart": (2, 2, 40, 41, 2, 3, 0),
    "windows far apart": (2, 2, 40, 41, 3, 7, 1),
    "as many windows as rows have cells": (2, 2, 9, 12, 2, 1, 0),
    "whole images": (50, 4, 7, 7, 7, 7, 0),
    "rows in blocks": (2, 1, 150, 120, 3, 1, 1),
}
SLOW = {"rows in blocks", "whole images", "many windows"}


@pytest.mark.parametrize("name", [name for name in CASES if JIT or name not in SLOW])
def test_both_pools_at_every_thread_count(name: str) -> None:
    n, c, h, w, k, stride, padding = CASES[name]
    rows, columns = (h + 2 * padding - k) // stride + 1, (w + 2 * padding - k) // stride + 1
    window = Window(c, h, w, k, k, stride, padding, rows, columns)
    draw = np.random.default_rng(0)
    x = draw.integers(-3, 4, (n, c * h * w)).astype(np.float32)  # with ties
    dy = draw.integers(-3, 4, (n, c * rows * columns)).astype(np.float32)

    def compute() -> list[Any]:
        y, dx, mean, back = (np.full_like(like, np.nan) for like in (dy, x, dy, x))
        places = np.empty_like(dy, np.int32)
        MAX.max_pool2d_forward(x, y, places, window)
        assert MAX.max_pool2d_gradient(places, dy, dx, window)
        MEAN.avg_pool2d_forward(x, mean, window)
        MEAN.avg_pool2d_gradient(dy, back, window)
        return [y, dx, mean, back]

    results = at_every_count(compute)
    wide, given = x.astype(np.float64), dy.astype(np.float64)
    for judge, place in ((max_pool2d, 0), (avg_pool2d, 2)):
        reference = judge(n, c, h, w, k, stride=stride, padding=padding)
        y, dx = results[0][place : place + 2]
        assert reference.forward((), wide).holds(y)
        assert reference.backward((), wide, given).dx.holds(dx)
    assert np.array_equal(results[0][1].sum(axis=1), dy.sum(axis=1))  # all of dy arrives, and arrives once
    for other in results[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_rows_laid_out_as_one(name: str) -> None:
    _, _, h, w, k, stride, padding = CASES[name]
    rows, columns = (h + 2 * padding - k) // stride + 1, (w + 2 * padding - k) // stride + 1
    window: Any = Window(1, h, w, k, k, stride, padding, rows, columns)
    image = np.arange(h * w, dtype=np.float32)
    inside: Any = lines_inside
    top, bottom = inside(0, min(rows, 3), window)
    lay_out: Any = with_padding
    room = np.full(room_of_block(window), np.nan, np.float32)
    line = lay_out(image, top, bottom, window, np.float32(-1), room)
    whole = np.pad(image.reshape(h, w)[top:bottom], ((0, 0), (padding, padding)), constant_values=-1)
    for row in range(bottom - top):
        for column in range(columns):
            start = (row * windows_across(window) + column) * stride
            cells = whole[row, column * stride : column * stride + k]
            assert np.array_equal(line[start : start + k], cells)
