"""Pooling kernels: the largest number, or the mean, of each window of each channel of each image.

Wide rows of windows are laid out cell by cell (`unfold`), so that cell (i, j) of many windows is a vector: kh·kw
comparisons or additions a window, in vector lanes. Where there are few windows in a row, as in a pool over a whole
image, they are gone through one after another. The gradient of the maximum looks for it again: to keep where it was
would take half as much memory again as the input, which is kept anyway.

A channel is worked on as a whole, and the channels of all images are one long image here.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Places
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.linear import add_to_totals
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.rows import wide_sum
from bendtorch.kernels.views import borrowed
from bendtorch.kernels.windows import ZERO, Window, copy, fill, first_cell, fold, unfold

CHUNK: Final = 1 << 15  # cells of windows a chunk
FEW: Final = 8  # windows in a row that are gone through one by one
LOWEST: Final = np.float32(-np.inf)


@helper
def _step(w: Window) -> int:
    """How many channels are a chunk's."""
    return max(1, CHUNK // max(w.height * w.width, w.rows * w.columns * w.kh * w.kw))


@helper
def _rows_at_a_time(w: Window) -> int:
    """How many rows of windows are laid out at a time."""
    return max(1, min(w.rows, CHUNK // (w.kh * w.kw * w.columns)))


@helper
def _cells_inside(start: int, side: int, size: int) -> tuple[int, int]:
    """Which cells of a window that starts there (below 0 on padding) are on an axis of the image."""
    return max(0, -start), min(side, size - start)


@helper
def _raise(best: Flat, line: Flat) -> None:
    """best = line where that is larger, or NaN."""
    for i in range(best.size):
        best[i] = line[i] if (line[i] > best[i]) | (line[i] != line[i]) else best[i]


@helper
def _raise_places(best: Flat, places: Places, line: Flat, place: np.int32) -> None:
    """The same, and `place` where it is so."""
    for i in range(best.size):
        better = (line[i] > best[i]) | (line[i] != line[i])
        best[i] = line[i] if better else best[i]
        places[i] = place if better else places[i]


@helper
def _largest(cells: Flat, row: int, column: int, w: Window) -> tuple[np.float32, int]:
    """The largest number of one window (the first of equals, the last NaN), and where it is from its corner on."""
    top, bottom = _cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = _cells_inside(column * w.stride - w.padding, w.kw, w.width)
    corner = first_cell(row, column, 0, 0, w)
    best, place = LOWEST, top * w.width + left
    for i in range(top, bottom):
        for offset in range(i * w.width + left, i * w.width + right):
            cell = cells[corner + offset]
            if cell > best or cell != cell:
                best, place = cell, offset
    return best, place


@kernel
def _max_chunk(chunk: int, x: Matrix, y: Matrix, w: Window) -> None:
    cells, results, area, size = borrowed(x), borrowed(y), w.height * w.width, w.rows * w.columns
    step, rows, wide = _step(w), _rows_at_a_time(w), w.columns >= FEW
    lines = np.empty((w.kh * w.kw, rows * w.columns if wide else 0), np.float32)
    for channel in range(chunk * step, min((chunk + 1) * step, x.size // area)):
        for top in range(0, w.rows, rows):
            bottom = min(top + rows, w.rows)
            out = results[channel * size + top * w.columns : channel * size + bottom * w.columns]
            if wide:
                unfold(cells, channel, channel + 1, top, bottom, w, LOWEST, lines, 0)
                copy(lines[0], out)
                for line in range(1, lines.shape[0]):
                    _raise(out, lines[line, : out.size])
            else:
                for window in range(out.size):
                    row, column = top + window // w.columns, window % w.columns
                    out[window] = _largest(cells[channel * area :], row, column, w)[0]


@kernel
def max_pool2d_forward(x: Matrix, y: Matrix, w: Window) -> None:
    """y = the largest number of each window; NaN where there is one."""
    parallel_for(_max_chunk, chunks_of(x.shape[0] * w.channels, _step(w)), (x, y, w))


@helper
def _find(cells: Flat, channel: int, top: int, bottom: int, w: Window, lines: Matrix, places: Places) -> None:
    """`_largest`'s places for some rows of windows; what is found first is the first cell that is no padding."""
    for row in range(top, bottom):
        i = max(0, w.padding - row * w.stride)
        for column in range(w.columns):
            j = max(0, w.padding - column * w.stride)
            places[(row - top) * w.columns + column] = i * w.width + j
    unfold(cells, channel, channel + 1, top, bottom, w, LOWEST, lines, 0)
    best, count = lines[0], (bottom - top) * w.columns
    for line in range(1, lines.shape[0]):
        place = np.int32(line // w.kw * w.width + line % w.kw)
        _raise_places(best[:count], places[:count], lines[line, :count], place)


@kernel
def _max_gradient_chunk(chunk: int, x: Matrix, dy: Matrix, dx: Matrix, w: Window) -> None:
    cells, given, results, area = borrowed(x), borrowed(dy), borrowed(dx), w.height * w.width
    step, rows, wide = _step(w), _rows_at_a_time(w), w.columns >= FEW
    lines = np.empty((w.kh * w.kw, rows * w.columns if wide else 0), np.float32)
    places = np.empty(rows * w.columns, np.int32)
    for channel in range(chunk * step, min((chunk + 1) * step, x.size // area)):
        start, window = channel * area, channel * w.rows * w.columns
        fill(results[start : start + area], ZERO)
        for top in range(0, w.rows, rows):
            bottom = min(top + rows, w.rows)
            if wide:
                _find(cells, channel, top, bottom, w, lines, places)
            for row in range(top, bottom):
                for column in range(w.columns):
                    place = np.int64(places[(row - top) * w.columns + column]) if wide else 0
                    if not wide:
                        place = _largest(cells[start:], row, column, w)[1]
                    results[start + first_cell(row, column, 0, 0, w) + place] += given[window]
                    window += 1


@kernel
def max_pool2d_gradient(x: Matrix, dy: Matrix, dx: Matrix, w: Window) -> None:
    """dx: each number of dy where the largest of its window is; the sum of those that meet in a cell."""
    parallel_for(_max_gradient_chunk, chunks_of(x.shape[0] * w.channels, _step(w)), (x, dy, dx, w))


@helper
def _total(cells: Flat, row: int, column: int, w: Window) -> float:
    """The sum of one window."""
    top, bottom = _cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = _cells_inside(column * w.stride - w.padding, w.kw, w.width)
    corner, total = first_cell(row, column, 0, 0, w), 0.0
    if right - left == w.width:  # whole rows, one after another
        return wide_sum(cells[corner + top * w.width + left : corner + (bottom - 1) * w.width + right])
    for i in range(top, bottom):
        total += wide_sum(cells[corner + i * w.width + left : corner + i * w.width + right])
    return total


@kernel
def _mean_chunk(chunk: int, x: Matrix, y: Matrix, w: Window) -> None:
    cells, results, area, size = borrowed(x), borrowed(y), w.height * w.width, w.rows * w.columns
    step, rows, wide, count = _step(w), _rows_at_a_time(w), w.columns >= FEW, np.float64(w.kh * w.kw)
    lines = np.empty((w.kh * w.kw, rows * w.columns if wide else 0), np.float32)
    totals = np.empty(rows * w.columns, np.float64)
    for channel in range(chunk * step, min((chunk + 1) * step, x.size // area)):
        for top in range(0, w.rows, rows):
            bottom = min(top + rows, w.rows)
            out = results[channel * size + top * w.columns : channel * size + bottom * w.columns]
            if wide:
                unfold(cells, channel, channel + 1, top, bottom, w, ZERO, lines, 0)
                totals[:] = 0.0
                for line in range(lines.shape[0]):
                    add_to_totals(lines[line, : out.size], totals[: out.size])
            else:
                for window in range(out.size):
                    row, column = top + window // w.columns, window % w.columns
                    totals[window] = _total(cells[channel * area :], row, column, w)
            for window in range(out.size):
                out[window] = np.float32(totals[window] / count)


@kernel
def avg_pool2d_forward(x: Matrix, y: Matrix, w: Window) -> None:
    """y = the mean of each window, padding counted as zeros; summed in float64 and rounded once."""
    parallel_for(_mean_chunk, chunks_of(x.shape[0] * w.channels, _step(w)), (x, y, w))


@helper
def _divide(source: Flat, by: np.float32, target: Flat) -> None:
    for i in range(target.size):
        target[i] = source[i] / by


@helper
def _add_share(share: np.float32, row: int, column: int, w: Window, cells: Flat) -> None:
    """A window's share, into each of its cells."""
    top, bottom = _cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = _cells_inside(column * w.stride - w.padding, w.kw, w.width)
    corner = first_cell(row, column, 0, 0, w)
    for i in range(top, bottom):
        for offset in range(i * w.width + left, i * w.width + right):
            cells[corner + offset] += share


@kernel
def _mean_gradient_chunk(chunk: int, dy: Matrix, dx: Matrix, w: Window) -> None:
    given, results, area, size = borrowed(dy), borrowed(dx), w.height * w.width, w.rows * w.columns
    step, rows, wide, count = _step(w), _rows_at_a_time(w), w.columns >= FEW, np.float32(w.kh * w.kw)
    lines = np.empty((w.kh * w.kw, rows * w.columns if wide else 0), np.float32)
    for channel in range(chunk * step, min((chunk + 1) * step, dx.size // area)):
        start = channel * area
        fill(results[start : start + area], ZERO)
        for top in range(0, w.rows, rows):
            bottom = min(top + rows, w.rows)
            source = given[channel * size + top * w.columns : channel * size + bottom * w.columns]
            if wide:
                for line in range(lines.shape[0]):
                    _divide(source, count, lines[line, : source.size])
                fold(lines, 0, channel, channel + 1, top, bottom, w, results)
            else:
                for window in range(source.size):
                    row, column = top + window // w.columns, window % w.columns
                    _add_share(source[window] / count, row, column, w, results[start:])


@kernel
def avg_pool2d_gradient(dy: Matrix, dx: Matrix, w: Window) -> None:
    """dx: the sum of the shares of the windows that a cell is in."""
    parallel_for(_mean_gradient_chunk, chunks_of(dx.shape[0] * w.channels, _step(w)), (dy, dx, w))
