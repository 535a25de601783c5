"""Windows as columns: `unfold` beside numpy's sliding windows, and `fold` as its adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import windows
from bendtorch.kernels.windows import Window, windows_inside
from tests.support.arrays import same_bits
from tests.support.images import patches, put_back
from tests.support.kernels import compiled
from tests.support.sizes import seeds

UNFOLD: Any = windows.unfold
FOLD: Any = windows.fold
BLANK = np.float32(-5)


@st.composite
def windows_of_images(draw: st.DrawFn) -> Window:
    """A window that fits."""
    c, h, w = draw(st.integers(1, 3)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    stride, padding = draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(0, 3))
    kh, kw = draw(st.integers(1, h + 2 * padding)), draw(st.integers(1, w + 2 * padding))
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    return Window(c, h, w, kh, kw, stride, padding, rows, columns)


def whole(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float32)


def expected(image: Any, w: Window, blank: Any) -> Any:
    """Line (channel, i, j), column (row, column)."""
    cells = patches(image.reshape(1, w.channels, w.height, w.width), w.kh, w.kw, w.stride, w.padding, blank)
    return cells.reshape(w.channels * w.kh * w.kw, w.rows, w.columns)


@given(w=windows_of_images(), seed=seeds, cut=st.data())
def test_unfold_lays_out_any_part(w: Any, seed: int, cut: st.DataObject) -> None:
    """Some channels and rows of windows, between columns that are left alone."""
    top, bottom = sorted(cut.draw(st.tuples(st.integers(0, w.rows), st.integers(0, w.rows))))
    first, last = sorted(cut.draw(st.tuples(st.integers(0, w.channels), st.integers(0, w.channels))))
    image, area = whole(seed, w.channels * w.height * w.width), w.kh * w.kw
    lines, length = (last - first) * area, (bottom - top) * w.columns
    out = np.full((lines, length + 3), np.nan, np.float32)
    UNFOLD(image, first, last, top, bottom, w, BLANK, out, 2)
    part = expected(image, w, BLANK)[first * area : last * area, top:bottom].reshape(lines, length)
    assert same_bits(np.ascontiguousarray(out[:, 2 : 2 + length]), part)
    assert np.isnan(out[:, :2]).all()
    assert np.isnan(out[:, 2 + length :]).all()


@given(w=windows_of_images(), seed=seeds, cut=st.data())
def test_fold_adds_any_part_back(w: Any, seed: int, cut: st.DataObject) -> None:
    """Exactly, the numbers being whole; other channels keep theirs."""
    top, bottom = sorted(cut.draw(st.tuples(st.integers(0, w.rows), st.integers(0, w.rows))))
    first, last = sorted(cut.draw(st.tuples(st.integers(0, w.channels), st.integers(0, w.channels))))
    image, area = whole(seed, w.channels, w.height, w.width), w.kh * w.kw
    columns = whole(seed + 1, (last - first) * area, 1 + (bottom - top) * w.columns)
    cells = np.zeros((w.channels * area, w.rows, w.columns), np.float32)
    cells[first * area : last * area, top:bottom] = columns[:, 1:].reshape(
        (last - first) * area, bottom - top, w.columns
    )
    parts = cells.reshape(1, w.channels, area, -1)
    added = image + put_back(parts, (1, *image.shape), w.kh, w.kw, w.stride, w.padding)[0]
    flat = image.reshape(-1).copy()
    FOLD(columns.copy(), 1, first, last, top, bottom, w, flat)
    assert same_bits(flat, added.reshape(-1))


@compiled
def inside(cell: int, size: int, w: Window, count: int) -> tuple[int, int]:
    return windows_inside(cell, size, w, count)


@given(w=windows_of_images())
def test_windows_inside_are_those_whose_cell_is_on_the_image(w: Window) -> None:
    for cell in range(w.kw):
        found = [k for k in range(w.columns) if 0 <= k * w.stride + cell - w.padding < w.width]
        low, high = inside(cell, w.width, w, w.columns)
        assert list(range(low, high)) == found
