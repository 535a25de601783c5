"""Windows over images in float64 numpy: the judges of convolutions and pools, and the sizes that tests draw."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from tests.support.references import F64, TINY, UNIT, Bounded, Gradients, Reference

Images = Any
"""n × c × h × w, or for windows n × c × cells × windows, of any type."""


def patches(x: Images, kh: int, kw: int, stride: int, padding: int, blank: float = 0.0) -> Images:
    """The cells of each window: n × c × (kh·kw) × (rows·columns)."""
    around = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    windows = sliding_window_view(np.pad(x, around, constant_values=blank), (kh, kw), axis=(2, 3))
    chosen = windows[:, :, ::stride, ::stride]
    n, c, rows, columns = chosen.shape[:4]
    return chosen.transpose(0, 1, 4, 5, 2, 3).reshape(n, c, kh * kw, rows * columns)


def put_back(cells: Images, shape: tuple[int, ...], kh: int, kw: int, stride: int, padding: int) -> Images:
    """The adjoint of `patches`: the sum of what the windows have for each cell of the images of that shape."""
    n, c, h, w = shape
    padded = np.zeros((n, c, h + 2 * padding, w + 2 * padding), cells.dtype)
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    parts = cells.reshape(n, c, kh, kw, rows, columns)
    for i in range(kh):
        for j in range(kw):
            places = (slice(i, i + stride * (rows - 1) + 1, stride), slice(j, j + stride * (columns - 1) + 1, stride))
            padded[:, :, places[0], places[1]] += parts[:, :, i, j]
    return padded[:, :, padding : padding + h, padding : padding + w]


def flat(images: Images) -> F64:
    """Images as rows."""
    rows: F64 = images.reshape(len(images), int(np.prod(images.shape[1:])))
    return rows


def conv2d(n: int, c: int, h: int, w: int, o: int, kh: int, kw: int, *, stride: int = 1, padding: int = 0) -> Reference:
    """A convolution."""
    shape, sides, k = (n, c, h, w), (kh, kw, stride, padding), c * kh * kw

    def columns(x: F64) -> F64:
        cells: F64 = patches(x.reshape(shape), *sides)
        return cells.reshape(n, k, cells.shape[-1])

    def forward(p: tuple[F64, ...], x: F64) -> Bounded:
        weight, bias = p
        cells = columns(x)
        size = (k + 2) * (UNIT * np.matmul(np.abs(weight), np.abs(cells)) + TINY) + UNIT * np.abs(bias).reshape(o, 1)
        return Bounded(flat(np.matmul(weight, cells) + bias.reshape(o, 1)), flat(size))

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        weight, cells = p[0], columns(x)
        given = dy.reshape(n, o, cells.shape[-1])

        def back(a: F64, b: F64) -> F64:
            return flat(put_back(np.matmul(a.T, b).reshape(n, c, kh * kw, -1) if n else cells, shape, *sides))

        def over_images(a: F64, b: F64) -> F64:
            total: F64 = np.matmul(a, b.transpose(0, 2, 1)).sum(axis=0)
            return total

        terms = n * cells.shape[-1] + 2
        dx = Bounded(back(weight, given), (o * kh * kw + 2) * (UNIT * back(np.abs(weight), np.abs(given)) + TINY))
        size = terms * (UNIT * over_images(np.abs(given), np.abs(cells)) + TINY)
        sums, sizes = (part.sum(axis=(0, 2)).reshape(1, o) for part in (given, np.abs(given)))
        db = Bounded(sums, UNIT * np.abs(sums) + 2.0**-45 * sizes)
        return Gradients(dx, (Bounded(over_images(given, cells), size), db))

    return Reference(forward, backward, linear=True)


def largest(x: Images, k: int, stride: int, padding: int) -> Any:
    """Which cell of each window is the largest: the first of equals, the last NaN, never padding."""
    inside = patches(np.ones_like(x), k, k, stride, padding) == 1
    cells = np.where(inside, patches(x, k, k, stride, padding), -np.inf)
    nan = np.isnan(cells)
    top = np.where(nan, -np.inf, cells).max(axis=2, keepdims=True)
    first = np.argmax((cells == top) & inside, axis=2)
    last_nan = k * k - 1 - np.argmax(nan[:, :, ::-1], axis=2)
    return np.where(nan.any(axis=2), last_nan, first)


def max_pool2d(n: int, c: int, h: int, w: int, k: int, *, stride: int | None = None, padding: int = 0) -> Reference:
    """The largest number of each window."""
    shape, step = (n, c, h, w), k if stride is None else stride

    def forward(p: tuple[F64, ...], x: F64) -> Bounded:
        images = x.reshape(shape)
        cells, place = patches(images, k, k, step, padding), largest(images, k, step, padding)
        y = flat(np.take_along_axis(cells, place[:, :, None], axis=2))
        return Bounded(y, np.zeros_like(y))

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        place = largest(x.reshape(shape), k, step, padding)
        chosen = np.arange(k * k).reshape(1, 1, -1, 1) == place[:, :, None]

        def back(given: F64) -> F64:
            shares = np.where(chosen, given.reshape(n, c, 1, place.shape[-1]), 0.0)
            return flat(put_back(shares, shape, k, k, step, padding))

        return Gradients(Bounded(back(dy), k * k * UNIT * back(np.abs(dy))))

    return Reference(forward, backward)


def avg_pool2d(n: int, c: int, h: int, w: int, k: int, *, stride: int | None = None, padding: int = 0) -> Reference:
    """The mean of each window, padding counted."""
    shape, step = (n, c, h, w), k if stride is None else stride

    def mean(x: F64) -> F64:
        return flat(patches(x.reshape(shape), k, k, step, padding).sum(axis=2) / k**2)

    def forward(p: tuple[F64, ...], x: F64) -> Bounded:
        y = mean(x)
        return Bounded(y, UNIT * np.abs(y) + 2.0**-45 * mean(np.abs(x)) + TINY)

    def backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
        windows = patches(np.empty(shape), k, k, step, padding).shape[-1]

        def back(given: F64) -> F64:
            shares = np.broadcast_to(given.reshape(n, c, 1, windows) / k**2, (n, c, k * k, windows))
            return flat(put_back(shares, shape, k, k, step, padding))

        return Gradients(Bounded(back(dy), (k * k + 2) * (UNIT * back(np.abs(dy)) + TINY)))

    return Reference(forward, backward, linear=True)


SIDES: Final = (1, 2, 3, 5, 8, 9)


@st.composite
def conv_sizes(draw: st.DrawFn) -> tuple[int, ...]:
    """c, h, w, o, kh, kw, with windows up to the whole image."""
    c, o, h, w = (draw(st.sampled_from(choice)) for choice in ((1, 2, 3), (1, 2, 5), SIDES, SIDES))
    kh, kw = (draw(st.sampled_from(sorted({1, min(2, side), min(3, side), side}))) for side in (h, w))
    return c, h, w, o, kh, kw


@st.composite
def pool_sizes(draw: st.DrawFn, least: int = 1) -> tuple[int, ...]:
    """c, h, w, k, with windows up to the whole image, and rows of few and of many windows."""
    h, w = (draw(st.sampled_from([side for side in (*SIDES, 17) if side >= least])) for _ in range(2))
    k = draw(st.sampled_from(sorted({max(least, min(side, h, w)) for side in (1, 2, 3, 9)})))
    return draw(st.sampled_from((1, 2, 3))), h, w, k
