"""Windows that slide over images: which cells they cover, and their cells laid out as the columns of a matrix.

`unfold` writes each window of some rows of windows as a column (im2col): line (channel, i, j) of the matrix holds cell
(i, j) of every window, so that a convolution is one product. It moves 8 bytes a cell of a window: row by row, or in
one piece where a row has as many windows as cells (stride 1 and "same" padding), because then a line is the image
itself, shifted. `fold` is its adjoint: it adds every column back into the cells that it came from.

An image is a flat array: channels, each of `height` rows of `width` cells.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy, fill
from bendtorch.kernels.panels import add_into
from bendtorch.kernels.views import borrowed

ZERO: Final = np.float32(0)


class Window(NamedTuple):
    """The sizes of an image and of a window that slides over it: `rows` × `columns` windows fit."""

    channels: int
    height: int
    width: int
    kh: int
    kw: int
    stride: int
    padding: int
    rows: int
    columns: int


@helper
def windows_inside(cell: int, size: int, w: Window, count: int) -> tuple[int, int]:
    """Which of the `count` windows along an axis of `size` have their cell of that number on the image."""
    offset = cell - w.padding
    low = min(count, (max(-offset, 0) + w.stride - 1) // w.stride)
    high = (size - 1 - offset) // w.stride + 1 if offset < size else 0
    return low, max(low, min(count, high))


@helper
def first_cell(row: int, column: int, i: int, j: int, w: Window) -> int:
    """Where in its channel the cell (i, j) of a window is."""
    return (row * w.stride + i - w.padding) * w.width + column * w.stride + j - w.padding


@helper
def copy_every(source: Flat, stride: int, target: Flat) -> None:
    """Copy every `stride`-th number of the source."""
    if stride == 1:
        copy(source, target)
    elif stride == 2:  # a constant: loads of whole vectors
        for i in range(target.size):
            target[i] = source[2 * i]
    else:
        for i in range(target.size):
            target[i] = source[i * stride]


@helper
def add_every(source: Flat, stride: int, target: Flat) -> None:
    """Add the source into every `stride`-th place of the target."""
    if stride == 1:
        add_into(source, target)
    else:
        for i in range(source.size):
            target[i * stride] += source[i]


@helper
def _is_shifted(w: Window) -> bool:
    """Whether a line of the columns is the image itself, shifted."""
    return w.stride == 1 and w.columns == w.width


@helper
def _fill_borders(line: Flat, low: int, high: int, width: int, blank: np.float32) -> None:
    """Padding in place of what a shift moved around the borders of each row."""
    row = 0
    while row < line.size:
        for column in range(row, row + low):
            line[column] = blank
        for column in range(row + high, row + width):
            line[column] = blank
        row += width


@helper
def _unfold_line(source: Flat, low: int, high: int, w: Window, blank: np.float32, target: Flat) -> None:
    """One cell of the windows of some rows; the source begins at the first that is on the image."""
    if _is_shifted(w):
        copy(source, target[low : target.size - w.columns + high])
        _fill_borders(target, low, high, w.columns, blank)
        return
    begin, start = 0, 0
    while begin < target.size:
        fill(target[begin : begin + low], blank)
        copy_every(source[start:], w.stride, target[begin + low : begin + high])
        fill(target[begin + high : begin + w.columns], blank)
        begin, start = begin + w.columns, start + w.stride * w.width


@helper
def _fold_line(source: Flat, low: int, high: int, w: Window, target: Flat) -> None:
    """The adjoint of `_unfold_line`; clears the source where it falls on padding."""
    if _is_shifted(w):
        _fill_borders(source, low, high, w.columns, ZERO)
        add_into(source[low : source.size - w.columns + high], target)
        return
    begin, start = 0, 0
    while begin < source.size:
        add_every(source[begin + low : begin + high], w.stride, target[start:])
        begin, start = begin + w.columns, start + w.stride * w.width


@kernel
def unfold(
    image: Flat, first: int, last: int, top: int, bottom: int, w: Window, blank: np.float32, out: Matrix, at: int
) -> None:
    """The windows of rows `top` to `bottom`, on channels `first` to `last`, as columns of `out` from column `at` on.

    `blank` stands for the cells of the padding.
    """
    cells, lines, stride = borrowed(image), borrowed(out), out.shape[1]
    area, length = w.height * w.width, (bottom - top) * w.columns
    for i in range(w.kh):
        above, below = windows_inside(i, w.height, w, w.rows)
        above, below = min(max(top, above), bottom), max(top, min(bottom, below))
        before, after = (above - top) * w.columns, (below - top) * w.columns
        for j in range(w.kw):
            low, high = windows_inside(j, w.width, w, w.columns)
            start, begin = first_cell(above, low, i, j, w) + first * area, (i * w.kw + j) * stride + at
            for _ in range(first, last):
                target = lines[begin : begin + length]
                if low == high or before >= after:
                    fill(target, blank)
                else:
                    fill(target[:before], blank)
                    _unfold_line(cells[start:], low, high, w, blank, target[before:after])
                    fill(target[after:], blank)
                start, begin = start + area, begin + w.kh * w.kw * stride


@kernel
def fold(columns: Matrix, at: int, first: int, last: int, top: int, bottom: int, w: Window, image: Flat) -> None:
    """Add the columns of these windows, laid out as by `unfold`, into the image's cells.

    What falls on padding is lost; `columns` may be changed there.
    """
    cells, lines, stride, area = borrowed(image), borrowed(columns), columns.shape[1], w.height * w.width
    for i in range(w.kh):
        above, below = windows_inside(i, w.height, w, w.rows)
        above, below = max(top, above), min(bottom, below)
        before, after = (above - top) * w.columns, (below - top) * w.columns
        for j in range(w.kw):
            low, high = windows_inside(j, w.width, w, w.columns)
            start, begin = first_cell(above, low, i, j, w) + first * area, (i * w.kw + j) * stride + at
            for _ in range(first, last if low < high and before < after else first):
                _fold_line(lines[begin + before : begin + after], low, high, w, cells[start:])
                start, begin = start + area, begin + w.kh * w.kw * stride
