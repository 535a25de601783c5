"""The largest number of each window, and where it is: the gradient of a window goes there.

Forward: 4 bytes a cell of the image, 8 a window (its largest number, its place). A window of k × k takes some
(k - 1)·(stride + 1) comparisons and no FLOP, as rows that windows share are reduced once. Backward: 8 bytes a window, 4
a cell, one addition a window.

Of equals the first counts, of NaN the last, cell by cell, row by row. The largest of each row of a window is looked for
first, then the largest of these: that gives the same cell, because the rows keep their order.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, PlaceMatrix, Places
from bendtorch.kernels.compile import helper, kernel, reduction
from bendtorch.kernels.copying import fill
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.pooling import (
    FEW,
    cells_inside,
    channels_of_chunk,
    lines_inside,
    lines_of_block,
    room_of_block,
    rows_of_block,
    windows_across,
    with_padding,
)
from bendtorch.kernels.rows import row_max
from bendtorch.kernels.views import borrowed, borrowed_places
from bendtorch.kernels.windows import ZERO, Window, copy_every

LOWEST: Final = np.float32(-np.inf)


@helper
def _place_corners(w: Window, corners: Places) -> None:
    """Where each window's first cell in each of some rows of the image is, from the first of these rows on."""
    across = windows_across(w)
    for line in range(corners.size // across):
        for column in range(across):
            place = line * w.width + column * w.stride - w.padding
            corners[line * across + column] = np.int32(place)


@helper
def _raise(cells: Flat, corners: Places, j: int, best: Flat, places: Places) -> None:
    for c in range(best.size):
        better = (cells[c] > best[c]) | (cells[c] != cells[c])
        best[c] = cells[c] if better else best[c]
        places[c] = np.int32(corners[c] + j) if better else places[c]


@helper
def _largest_of(k: int, cells: Flat, stride: int, corners: Places, best: Flat, places: Places) -> None:
    """The largest of the `k` cells from every `stride`-th on; quick where k and stride are constants."""
    for c in range(best.size):
        most, place = cells[c * stride], corners[c]
        for j in range(1, k):
            cell = cells[c * stride + j]
            better = (cell > most) | (cell != cell)
            most = cell if better else most
            place = np.int32(corners[c] + j) if better else place
        best[c], places[c] = most, place


@helper
def _reduce_cells(cells: Flat, w: Window, spare: Flat, corners: Places, best: Flat, places: Places) -> None:
    """The largest of each window's cells in some rows of the image, laid out as one, and where it is."""
    if w.kw == 2 and w.stride == 2:
        _largest_of(2, cells, 2, corners, best, places)
    elif w.kw == 3 and w.stride == 2:
        _largest_of(3, cells, 2, corners, best, places)
    elif w.kw == 3 and w.stride == 1:
        _largest_of(3, cells, 1, corners, best, places)
    else:
        copy_every(cells, w.stride, best)
        for c in range(places.size):
            places[c] = corners[c]
        for j in range(1, w.kw):
            copy_every(cells[j:], w.stride, spare)
            _raise(spare, corners, j, best, places)


@helper
def _leave_padding(w: Window, best: Flat, places: Places) -> None:
    """Where only -inf was found, the place is that of the first cell on the image."""
    across = windows_across(w)
    for line in range(chunks_of(best.size, across) if w.padding > 0 else 0):
        for c in range(line * across, line * across + min(w.columns, w.padding)):
            if best[c] == LOWEST:
                places[c] = max(places[c], np.int32(line * w.width))


@helper
def _raise_to_line(line: Flat, line_places: Places, start: int, best: Flat, places: Places) -> None:
    """The numbers of a line where they are larger, or NaN; its row of the image starts at `start`."""
    for c in range(best.size):
        better = (line[c] > best[c]) | (line[c] != line[c])
        best[c] = line[c] if better else best[c]
        places[c] = np.int32(line_places[c] + start) if better else places[c]


@helper
def _reduce_lines(lines: Flat, line_places: Places, across: int, start: int, best: Flat, places: Places) -> None:
    """The largest of each window's rows, which are `across` numbers apart; their places count from `start` on."""
    for c in range(best.size):
        best[c], places[c] = lines[c], np.int32(line_places[c] + start)
    at = across
    while at < lines.size:
        _raise_to_line(lines[at : at + best.size], line_places[at : at + best.size], start, best, places)
        at += across


@kernel
def _rows_chunk(chunk: int, x: Matrix, y: Matrix, places: PlaceMatrix, w: Window) -> None:
    cells, results, found = borrowed(x), borrowed(y), borrowed_places(places)
    step, rows, area, across = channels_of_chunk(w), rows_of_block(w), w.height * w.width, windows_across(w)
    count = lines_of_block(w) * across
    padded, numbers, spare = (
        np.empty(room_of_block(w), np.float32),
        np.empty(count, np.float32),
        np.empty(count, np.float32),
    )
    indices, corners = np.empty(count, np.int32), np.empty(count, np.int32)
    lines, line_places = borrowed(numbers), borrowed_places(indices)
    _place_corners(w, corners)
    low, high = chunk_bounds(chunk, step, x.size // area)
    for channel in range(low, high):
        image = cells[channel * area : (channel + 1) * area]
        for above in range(0, w.rows, rows):
            below = min(above + rows, w.rows)
            top, bottom = lines_inside(above, below, w)
            end = (bottom - top - 1) * across + w.columns
            laid_out = with_padding(image, top, bottom, w, LOWEST, borrowed(padded))
            _reduce_cells(laid_out, w, spare[:end], corners[:end], lines[:end], line_places[:end])
            _leave_padding(w, lines[:end], line_places[:end])
            for row in range(above, below):
                low, high = cells_inside(row * w.stride - w.padding, w.kh, w.height)
                at, to = (low - top) * across, (high - top - 1) * across + w.columns
                out = (channel * w.rows + row) * w.columns
                y_row, places_row = results[out : out + w.columns], found[out : out + w.columns]
                _reduce_lines(lines[at:to], line_places[at:to], across, top * w.width, y_row, places_row)


@reduction
def _first_equal(x: Flat, value: np.float32) -> np.int32:
    place = np.int32(x.size)
    for i in range(x.size):
        place = min(place, np.int32(i) if x[i] == value else np.int32(x.size))
    return place


@reduction
def _last_nan(x: Flat) -> np.int32:
    place = np.int32(0)
    for i in range(x.size):
        place = max(place, np.int32(i) if x[i] != x[i] else np.int32(0))
    return place


@helper
def _largest(image: Flat, row: int, column: int, w: Window) -> int:
    """Where the largest number of one window is."""
    top, bottom = cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = cells_inside(column * w.stride - w.padding, w.kw, w.width)
    place = top * w.width + left
    if right - left == w.width:  # whole rows of the image, one after another
        run = image[place : bottom * w.width]
        most = row_max(run)
        return place + int(_first_equal(run, most) if most == most else _last_nan(run))
    best = LOWEST
    for i in range(top, bottom):
        for cell in range(i * w.width + left, i * w.width + right):
            if image[cell] > best or image[cell] != image[cell]:
                best, place = image[cell], cell
    return place


@kernel
def _windows_chunk(chunk: int, x: Matrix, y: Matrix, places: PlaceMatrix, w: Window) -> None:
    cells, results, found = borrowed(x), borrowed(y), borrowed_places(places)
    step, area = channels_of_chunk(w), w.height * w.width
    low, high = chunk_bounds(chunk, step, x.size // area)
    for channel in range(low, high):
        image = cells[channel * area : (channel + 1) * area]
        out = channel * w.rows * w.columns
        for row in range(w.rows):
            for column in range(w.columns):
                place = _largest(image, row, column, w)
                results[out], found[out] = image[place], np.int32(place)
                out += 1


@kernel
def max_pool2d_forward(x: Matrix, y: Matrix, places: PlaceMatrix, w: Window) -> None:
    """y = the largest number of each window, NaN where there is one; places = where in its channel it is."""
    chunks = chunks_of(x.shape[0] * w.channels, channels_of_chunk(w))
    if w.columns < FEW:
        parallel_for(_windows_chunk, chunks, (x, y, places, w))
    else:
        parallel_for(_rows_chunk, chunks, (x, y, places, w))


@reduction
def _are_inside(places: Places, area: int) -> bool:
    least, most = np.int32(0), np.int32(0)
    for i in range(places.size):
        least, most = min(least, places[i]), max(most, places[i])
    return bool(least >= 0) and bool(most < area)


@helper
def _scatter(given: Flat, places: Places, image: Flat) -> None:
    for i in range(places.size):
        image[places[i]] += given[i]


@kernel
def _gradient_chunk(chunk: int, places: PlaceMatrix, dy: Matrix, dx: Matrix, w: Window) -> None:
    found, given, results = borrowed_places(places), borrowed(dy), borrowed(dx)
    step, area, size = channels_of_chunk(w), w.height * w.width, w.rows * w.columns
    first, last = chunk_bounds(chunk, step, dx.size // area)
    fill(results[first * area : last * area], ZERO)
    for channel in range(first, last):
        begin, end = channel * size, (channel + 1) * size
        _scatter(given[begin:end], found[begin:end], results[channel * area : (channel + 1) * area])


@kernel
def max_pool2d_gradient(places: PlaceMatrix, dy: Matrix, dx: Matrix, w: Window) -> bool:
    """dx: each number of dy in its place, the sum of those that meet there.

    False, and nothing is written, where a place is outside of its channel.
    """
    if not _are_inside(borrowed_places(places), w.height * w.width):
        return False
    parallel_for(_gradient_chunk, chunks_of(dx.shape[0] * w.channels, channels_of_chunk(w)), (places, dy, dx, w))
    return True
