"""The mean of each window, and its gradient.

4 bytes a cell of the image and 4 a window, either way. FLOPs: some (k - 1)·(stride + 1) additions a window of k × k, as
rows that windows share are summed once, and a division.

A sum is taken in float64 and rounded once, after the division. Backward, what a row of windows gives to each row of the
image that it covers is added up once.
"""

from __future__ import annotations

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Totals
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy, fill
from bendtorch.kernels.linear import add_to_totals
from bendtorch.kernels.panels import add_into
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
from bendtorch.kernels.rows import wide_sum
from bendtorch.kernels.views import borrowed
from bendtorch.kernels.windows import ZERO, Window, add_every, copy_every, windows_inside


@helper
def _sum_of(k: int, cells: Flat, stride: int, totals: Totals) -> None:
    """The sum of the `k` cells from every `stride`-th on; quick where k and stride are constants."""
    for c in range(totals.size):
        total = np.float64(cells[c * stride])
        for j in range(1, k):
            total += np.float64(cells[c * stride + j])
        totals[c] = total


@helper
def _sum_cells(cells: Flat, w: Window, spare: Flat, totals: Totals) -> None:
    """The sum of each window's cells in some rows of the image, laid out as one."""
    if w.kw == 2 and w.stride == 2:
        _sum_of(2, cells, 2, totals)
    elif w.kw == 3 and w.stride == 2:
        _sum_of(3, cells, 2, totals)
    elif w.kw == 3 and w.stride == 1:
        _sum_of(3, cells, 1, totals)
    else:
        totals[:] = 0.0
        for j in range(w.kw):
            copy_every(cells[j:], w.stride, spare)
            add_to_totals(spare, totals)


@helper
def _sum_lines(lines: Totals, across: int, totals: Totals) -> None:
    """The sum of each window's rows, which are `across` numbers apart."""
    for c in range(totals.size):
        totals[c] = lines[c]
    at = across
    while at < lines.size:
        for c in range(totals.size):
            totals[c] += lines[at + c]
        at += across


@helper
def _round(totals: Totals, inverse: float, out: Flat) -> None:
    for c in range(out.size):
        out[c] = np.float32(totals[c] * inverse)


@kernel
def _rows_chunk(chunk: int, x: Matrix, y: Matrix, w: Window) -> None:
    cells, results, inverse = borrowed(x), borrowed(y), 1.0 / np.float64(w.kh * w.kw)
    step, rows, area, across = channels_of_chunk(w), rows_of_block(w), w.height * w.width, windows_across(w)
    count = lines_of_block(w) * across
    padded, spare = np.empty(room_of_block(w), np.float32), np.empty(count, np.float32)
    lines, totals = np.empty(count, np.float64), np.empty(w.columns, np.float64)
    low, high = chunk_bounds(chunk, step, x.size // area)
    for channel in range(low, high):
        image = cells[channel * area : (channel + 1) * area]
        for above in range(0, w.rows, rows):
            below = min(above + rows, w.rows)
            top, bottom = lines_inside(above, below, w)
            end = (bottom - top - 1) * across + w.columns
            _sum_cells(with_padding(image, top, bottom, w, ZERO, borrowed(padded)), w, spare[:end], lines[:end])
            for row in range(above, below):
                low, high = cells_inside(row * w.stride - w.padding, w.kh, w.height)
                _sum_lines(lines[(low - top) * across : (high - top - 1) * across + w.columns], across, totals)
                out = (channel * w.rows + row) * w.columns
                _round(totals, inverse, results[out : out + w.columns])


@helper
def _total(image: Flat, row: int, column: int, w: Window) -> float:
    """The sum of one window."""
    top, bottom = cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = cells_inside(column * w.stride - w.padding, w.kw, w.width)
    if right - left == w.width:  # whole rows of the image, one after another
        return wide_sum(image[top * w.width : bottom * w.width])
    total = 0.0
    for i in range(top, bottom):
        total += wide_sum(image[i * w.width + left : i * w.width + right])
    return total


@kernel
def _windows_chunk(chunk: int, x: Matrix, y: Matrix, w: Window) -> None:
    cells, results = borrowed(x), borrowed(y)
    step, area, inverse = channels_of_chunk(w), w.height * w.width, 1.0 / np.float64(w.kh * w.kw)
    low, high = chunk_bounds(chunk, step, x.size // area)
    for channel in range(low, high):
        image = cells[channel * area : (channel + 1) * area]
        out = channel * w.rows * w.columns
        for row in range(w.rows):
            for column in range(w.columns):
                results[out] = np.float32(_total(image, row, column, w) * inverse)
                out += 1


@kernel
def avg_pool2d_forward(x: Matrix, y: Matrix, w: Window) -> None:
    """y = the mean of each window, padding counted as zeros."""
    chunks = chunks_of(x.shape[0] * w.channels, channels_of_chunk(w))
    if w.columns < FEW:
        parallel_for(_windows_chunk, chunks, (x, y, w))
    else:
        parallel_for(_rows_chunk, chunks, (x, y, w))


@helper
def _divide(source: Flat, by: np.float32, target: Flat) -> None:
    for i in range(target.size):
        target[i] = source[i] / by


@helper
def _spread(shares: Flat, w: Window, line: Flat) -> None:
    """line = what a row of windows gives to each cell of a row of the image."""
    fill(line, ZERO)
    for j in range(w.kw):
        low, high = windows_inside(j, w.width, w, w.columns)
        if low < high:
            add_every(shares[low:high], w.stride, line[low * w.stride + j - w.padding :])


@kernel
def _rows_gradient_chunk(chunk: int, dy: Matrix, dx: Matrix, w: Window) -> None:
    given, results, count = borrowed(dy), borrowed(dx), np.float32(w.kh * w.kw)
    step, area = channels_of_chunk(w), w.height * w.width
    shares, line = np.empty(w.columns, np.float32), np.empty(w.width, np.float32)
    first, last = chunk_bounds(chunk, step, dx.size // area)
    fill(results[first * area : last * area], ZERO)
    for channel in range(first, last):
        for row in range(w.rows):
            source = (channel * w.rows + row) * w.columns
            _divide(given[source : source + w.columns], count, shares)
            _spread(shares, w, line)
            low, high = cells_inside(row * w.stride - w.padding, w.kh, w.height)
            for start in range(channel * area + low * w.width, channel * area + high * w.width, w.width):
                if w.kh <= w.stride:  # no other row of windows gives anything
                    copy(line, results[start : start + w.width])
                else:
                    add_into(line, results[start : start + w.width])


@helper
def _add_to_run(share: np.float32, cells: Flat) -> None:
    for i in range(cells.size):
        cells[i] += share


@helper
def _add_share(share: np.float32, start: int, row: int, column: int, w: Window, cells: Flat) -> None:
    """A window's share, into each of its cells in the channel that starts there."""
    top, bottom = cells_inside(row * w.stride - w.padding, w.kh, w.height)
    left, right = cells_inside(column * w.stride - w.padding, w.kw, w.width)
    if right - left == w.width:  # whole rows of the image, one after another
        _add_to_run(share, cells[start + top * w.width : start + bottom * w.width])
        return
    for i in range(top, bottom):
        line = start + i * w.width
        _add_to_run(share, cells[line + left : line + right])


@kernel
def _windows_gradient_chunk(chunk: int, dy: Matrix, dx: Matrix, w: Window) -> None:
    given, results, count = borrowed(dy), borrowed(dx), np.float32(w.kh * w.kw)
    step, area = channels_of_chunk(w), w.height * w.width
    first, last = chunk_bounds(chunk, step, dx.size // area)
    fill(results[first * area : last * area], ZERO)
    for window in range(first * w.rows * w.columns, last * w.rows * w.columns):
        line = window // w.columns
        _add_share(given[window] / count, line // w.rows * area, line % w.rows, window % w.columns, w, results)


@kernel
def avg_pool2d_gradient(dy: Matrix, dx: Matrix, w: Window) -> None:
    """dx: the sum of the shares of the windows that a cell is in."""
    chunks = chunks_of(dx.shape[0] * w.channels, channels_of_chunk(w))
    if w.columns < FEW:
        parallel_for(_windows_gradient_chunk, chunks, (dy, dx, w))
    else:
        parallel_for(_rows_gradient_chunk, chunks, (dy, dx, w))
