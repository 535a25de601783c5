"""A convolution's kernels: the cells of windows laid out as columns (`unfold`), then products.

    y = w·columns + b      dx = fold(wᵀ·dy)      dw = dy·columnsᵀ      db = sums of dy

Each product is 2·n·o·k·l FLOPs for l windows of k = channels·kh·kw cells. The columns are never whole: a block holds
those of some rows of one image, or of several small images side by side, and is used while it is in the cache. A 1×1
window needs none: an image is its own columns. dx and dw are computed for some channels at a time, so that a single
image has work for several threads.

Traffic: x, y, dy and dx once, 4 bytes a number, and w once where it fits into the cache. The columns, 8 bytes a cell of
a window, are written and read in the cache.

Sums over cells, and over windows, are taken in short runs; those of dw over the blocks are taken in float64 and rounded
once, as those of db are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix, Sums
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy, fill
from bendtorch.kernels.gemm import gemm, gemm_in_runs
from bendtorch.kernels.linear import add_to_totals
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from bendtorch.kernels.rows import wide_sum
from bendtorch.kernels.views import borrowed
from bendtorch.kernels.windows import ZERO, Window, fold, unfold

SCRATCH: Final = 1 << 16  # numbers in a block of columns: 256 KiB, in a second-level cache
FEWEST: Final = 256  # windows in a block: a product packs its other operand anew for each
MOST: Final = 1024
CELLS: Final = 128  # cells of a window summed at a time: oneDNN's sums are about as exact
RUN_WORK: Final = 1 << 20  # multiplications of dw worth a run of images of their own
RUNS: Final = 16
LINES: Final = 16  # outputs whose gradients are rounded together: two cache lines of float64


class Cut(NamedTuple):
    """How the work is cut into blocks: so many images, rows of windows, and channels at a time."""

    images: int
    rows: int
    channels: int


@helper
def _cut(n: int, w: Window) -> Cut:
    """Blocks of columns that stay in the cache, and long enough for a product."""
    size, cells = w.rows * w.columns, w.kh * w.kw
    columns = min(MOST, max(FEWEST, SCRATCH // (w.channels * cells)))
    images = max(1, min(n, columns // size))
    rows = w.rows if images > 1 else max(1, min(w.rows, columns // w.columns))
    return Cut(images, rows, max(1, min(w.channels, SCRATCH // (cells * images * rows * w.columns))))


@helper
def _is_plain(cut: Cut, w: Window) -> bool:
    """Whether an image is its own matrix of columns."""
    return cut.images == 1 and w.kh == 1 and w.kw == 1 and w.stride == 1 and w.padding == 0


@helper
def _lay_out(x: Matrix, begin: int, end: int, first: int, last: int, top: int, bottom: int, w: Window) -> Matrix:
    """The columns of images `begin` to `end`, side by side."""
    part = (bottom - top) * w.columns
    columns = np.empty(((last - first) * w.kh * w.kw, (end - begin) * part), np.float32)
    for image in range(begin, end):
        unfold(x[image], first, last, top, bottom, w, ZERO, columns, (image - begin) * part)
    return columns


@helper
def _side_by_side(dy: Matrix, o: int, begin: int, end: int) -> Matrix:
    """Channel by channel, the planes of images `begin` to `end` in a row."""
    size, count = dy.shape[1] // o, end - begin
    result = np.empty((o, count * size), np.float32)
    source, target = borrowed(dy), borrowed(result)
    for line in range(o):
        for i in range(count):
            to = (line * count + i) * size
            copy(source[((begin + i) * o + line) * size :], target[to : to + size])
    return result


@helper
def _apart(product: Matrix, y: Matrix, begin: int, end: int) -> None:
    """The inverse of `_side_by_side`."""
    o, count = product.shape[0], end - begin
    size = y.shape[1] // o
    source, target = borrowed(product), borrowed(y)
    for line in range(o):
        for i in range(count):
            to = ((begin + i) * o + line) * size
            copy(source[(line * count + i) * size :], target[to : to + size])


@helper
def _shift(part: Flat, by: np.float32) -> None:
    for i in range(part.size):
        part[i] += by


@helper
def _times(weight: Matrix, columns: Matrix, out: int, stride: int) -> None:
    """weight·columns, to an address. As an argument an array lives until the call is done; its address would not."""
    (o, k), width = weight.shape, columns.shape[1]
    gemm_in_runs(
        *(CELLS, False, False, o, width, k),
        *(weight.ctypes.data, k, columns.ctypes.data, width, out, stride),
    )


@helper
def _times_transposed(columns: Matrix, dy: int, stride: int, o: int, out: Flat) -> None:
    """columns·dyᵀ, for the o lines of dy at an address."""
    lines, width = columns.shape
    gemm(False, True, lines, o, width, columns.ctypes.data, width, dy, stride, out.ctypes.data, o)


@kernel
def _forward_block(block: int, x: Matrix, weight: Matrix, bias: Matrix, y: Matrix, w: Window, cut: Cut) -> None:
    down, (o, k), size = chunks_of(w.rows, cut.rows), weight.shape, w.rows * w.columns
    begin, top = block // down * cut.images, block % down * cut.rows
    end, bottom = min(begin + cut.images, x.shape[0]), min(top + cut.rows, w.rows)
    width, place = (end - begin) * (bottom - top) * w.columns, top * w.columns
    left, out = weight.ctypes.data, y.ctypes.data + 4 * (begin * o * size + place)
    if _is_plain(cut, w):
        source = x.ctypes.data + 4 * (begin * k * size + place)
        gemm_in_runs(CELLS, False, False, o, width, k, left, k, source, size, out, size)
    elif cut.images == 1:
        _times(weight, _lay_out(x, begin, end, 0, w.channels, top, bottom, w), out, size)
    else:
        product = np.empty((o, width), np.float32)
        _times(weight, _lay_out(x, begin, end, 0, w.channels, top, bottom, w), product.ctypes.data, width)
        _apart(product, y, begin, end)
    results = borrowed(y)
    for image in range(begin, end):
        for line in range(o):
            start = (image * o + line) * size + place
            _shift(results[start : start + (bottom - top) * w.columns], bias[0, line])


@kernel
def conv2d_forward(x: Matrix, weight: Matrix, bias: Matrix, y: Matrix, w: Window) -> None:
    """y = the cells of each window, times the weights, plus the bias."""
    cut = _cut(x.shape[0], w)
    blocks = chunks_of(x.shape[0], cut.images) * chunks_of(w.rows, cut.rows)
    parallel_for(_forward_block, blocks, (x, weight, bias, y, w, cut))


@helper
def _planes(dy: Matrix, o: int, begin: int, end: int, cut: Cut) -> Matrix:
    """Small images side by side; nothing where a block is of one image, which is used where it is."""
    if cut.images == 1:
        return np.empty((0, 0), np.float32)
    return _side_by_side(dy, o, begin, end)


@kernel
def _input_block(block: int, weight: Matrix, dy: Matrix, dx: Matrix, w: Window, cut: Cut) -> None:
    """dx of some channels of an image, or of several small ones: nobody else writes there."""
    across, (o, k), cells = chunks_of(w.channels, cut.channels), weight.shape, w.kh * w.kw
    size, area = w.rows * w.columns, w.height * w.width
    begin, first = block // across * cut.images, block % across * cut.channels
    end, last = min(begin + cut.images, dy.shape[0]), min(first + cut.channels, w.channels)
    left, lines = weight.ctypes.data + 4 * first * cells, (last - first) * cells
    given = dy.ctypes.data + 4 * begin * o * size
    if _is_plain(cut, w):
        out = dx.ctypes.data + 4 * (begin * w.channels + first) * area
        gemm(True, False, lines, size, o, left, k, given, size, out, size)
        return
    for image in range(begin, end):
        fill(dx[image, first * area : last * area], ZERO)
    planes = _planes(dy, o, begin, end, cut)
    for top in range(0, w.rows, cut.rows):
        bottom = min(top + cut.rows, w.rows)
        part = (bottom - top) * w.columns
        width = (end - begin) * part
        right, stride = (given + 4 * top * w.columns, size) if cut.images == 1 else (planes.ctypes.data, width)
        columns = np.empty((lines, width), np.float32)
        gemm(True, False, lines, width, o, left, k, right, stride, columns.ctypes.data, width)
        for image in range(begin, end):
            fold(columns, (image - begin) * part, first, last, top, bottom, w, dx[image])


@kernel
def conv2d_input_gradient(weight: Matrix, dy: Matrix, dx: Matrix, w: Window) -> None:
    """dx: for every cell, the sum over the windows that it is in."""
    cut = _cut(dy.shape[0], w)
    blocks = chunks_of(dy.shape[0], cut.images) * chunks_of(w.channels, cut.channels)
    parallel_for(_input_block, blocks, (weight, dy, dx, w, cut))


@kernel
def _weight_block(block: int, x: Matrix, dy: Matrix, totals: Sums, w: Window, cut: Cut, run: int) -> None:
    """dwᵀ of some channels, summed over a run of images."""
    across, o, cells = chunks_of(w.channels, cut.channels), totals.shape[2], w.kh * w.kw
    size, (place, first) = w.rows * w.columns, (block // across, block % across * cut.channels)
    last, stop = min(first + cut.channels, w.channels), min((place + 1) * run, x.shape[0])
    lines = (last - first) * cells
    product, sums = np.empty(lines * o, np.float32), totals[place, first * cells : last * cells].ravel()
    for begin in range(place * run, stop, cut.images):
        end = min(begin + cut.images, stop)
        planes = _planes(dy, o, begin, end, cut)
        for top in range(0, w.rows, cut.rows):
            bottom = min(top + cut.rows, w.rows)
            width, start = (end - begin) * (bottom - top) * w.columns, top * w.columns
            given = dy.ctypes.data + 4 * (begin * o * size + start)
            right, stride = (given, size) if cut.images == 1 else (planes.ctypes.data, width)
            if _is_plain(cut, w):
                left = x.ctypes.data + 4 * ((begin * w.channels + first) * size + start)
                gemm(False, True, lines, o, width, left, size, right, stride, product.ctypes.data, o)
            else:
                columns = _lay_out(x, begin, end, first, last, top, bottom, w)
                _times_transposed(columns, right, stride, o, product)
            add_to_totals(product, sums)


@kernel
def _add_lines(chunk: int, totals: Sums, dy: Matrix, gw: Matrix, gb: Matrix) -> None:
    """The gradients of a few outputs, added up and rounded."""
    o, flat = gw.shape[0], borrowed(dy)
    size = dy.shape[1] // o
    low, high = chunk_bounds(chunk, LINES, o)
    for cell in range(gw.shape[1]):
        for line in range(low, high):
            total = 0.0
            for run in range(totals.shape[0]):
                total += totals[run, cell, line]
            gw[line, cell] += np.float32(total)
    for line in range(low, high):
        total = 0.0
        for image in range(dy.shape[0]):
            start = (image * o + line) * size
            total += wide_sum(flat[start : start + size])
        gb[0, line] += np.float32(total)


@kernel
def conv2d_gradients(dy: Matrix, x: Matrix, gw: Matrix, gb: Matrix, w: Window) -> None:
    """gw += dw and gb += db."""
    n, (o, k) = x.shape[0], gw.shape
    cut = _cut(n, w)
    across = chunks_of(w.channels, cut.channels)
    wanted = max(1, min(RUNS, n * w.rows * w.columns * o * k // RUN_WORK) // across)
    run = chunks_of(chunks_of(n, wanted), cut.images) * cut.images
    runs = chunks_of(n, run) if n > 0 else 0
    totals = np.zeros((runs, k, o), np.float64)
    parallel_for(_weight_block, runs * across, (x, dy, totals, w, cut, run))
    parallel_for(_add_lines, chunks_of(o, LINES), (totals, dy, gw, gb))
