"""Grids of tiles and chunks, for all sizes: each number of a result is computed once, whichever thread comes first.

That is what "the same bits at any number of threads" (L69) needs of indices: chunks are disjoint and complete, and how
many there are follows from the sizes alone. The rest of L69 is tested.
"""

from __future__ import annotations

from typing import Any, Final

from bendtorch.laws.proofs.sizes import SizeTheorem
from bendtorch.laws.proofs.whole import Reasoning


def _chunks(at: Reasoning, of: Any) -> None:
    """Each place is in one chunk; all chunks have something to do."""
    size, chunk = at.whole("size"), at.whole("chunk", 1)
    count = of.parallel.chunks_of(size, chunk)
    place, number = at.whole("place", below=size), at.whole("number", below=count)
    low, high = of.parallel.chunk_bounds(number, chunk, size)
    at.claim("a chunk's bounds are in the array, and not empty", 0 <= low < high <= size)
    at.claim("it is no longer than a chunk", high - low <= chunk)
    owner = place // chunk
    at.claim("a place's chunk is there", 0 <= owner < count)
    begin, end = of.parallel.chunk_bounds(owner, chunk, size)
    at.claim("a place is in its chunk", begin <= place < end)
    at.assume(low <= place < high)
    at.equal("the one chunk of a place", number, owner)


def _tiles(at: Reasoning, of: Any) -> None:
    """Each number of a product is in one tile."""
    m, n, rows, columns = at.wholes("m n rows columns", least=1)
    across, down = of.parallel.chunks_of(n, columns), of.parallel.chunks_of(m, rows)
    row, column = at.whole("row", below=m), at.whole("column", below=n)
    over, aside = row // rows, column // columns
    at.claim("a number's tile is on the grid", 0 <= over < down and 0 <= aside < across)
    tile = over * across + aside
    at.claim("it is one of the tiles", 0 <= tile < down * across)
    at.equal("its place on the grid", (tile // across, tile % across), (over, aside))
    i, j, height, width = of.products.tile_bounds(tile, m, n, rows, columns)
    at.claim("the number is in it", i <= row < i + height and j <= column < j + width)
    at.claim("it is in the product", 0 <= i < i + height <= m and 0 <= j < j + width <= n)


def _tiles_apart(at: Reasoning, of: Any) -> None:
    """A number of a tile is in no other: its tile is the one of its row and column."""
    m, n, rows, columns = at.wholes("m n rows columns", least=1)
    across, down = of.parallel.chunks_of(n, columns), of.parallel.chunks_of(m, rows)
    over, aside = at.whole("over", below=down), at.whole("aside", below=across)
    tile = over * across + aside
    at.equal("its place on the grid", (tile // across, tile % across), (over, aside))
    i, j, height, width = of.products.tile_bounds(tile, m, n, rows, columns)
    row, column = i + at.whole("r", below=height), j + at.whole("c", below=width)
    at.equal("the tile of its numbers", (row // rows, column // columns), (over, aside))


def _every_tile(at: Reasoning, of: Any) -> None:
    """Every tile of a grid has a place on it, so the two theorems before speak of all tiles."""
    down, across = at.wholes("down across", least=1)
    tile = at.whole("tile", below=down * across)
    at.claim("a tile's place is on the grid", 0 <= tile // across < down and 0 <= tile % across < across)
    at.equal("a tile, and the one of its place", tile // across * across + tile % across, tile)


def _sides(at: Reasoning, of: Any) -> None:
    """Halving ends: the longer side gets shorter, both stay above 0. By induction, the sides of every tile are."""
    rows, columns = at.wholes("rows columns", least=1)
    at.assume(max(rows, columns) > of.products.LEAST_SIDE)
    lower, narrower = of.products.halved(rows, columns)
    at.claim("the sides stay above 0, and grow no longer", 1 <= lower <= rows and 1 <= narrower <= columns)
    at.claim("one of them gets shorter", lower < rows or narrower < columns)


def _runs(at: Reasoning, of: Any) -> None:
    n, c = at.whole("n"), at.whole("c", 1)
    at.equal("runs of rows, and their chunks", of.row_runs.runs_of_rows(n), of.parallel.chunks_of(n, of.row_runs.ROWS))
    at.claim("a chunk has a run, and a row", of.row_runs.runs_of_chunk(c) >= 1 and of.rows.rows_of_chunk(c) >= 1)


def _windows(at: Reasoning, of: Any) -> None:
    """Window number k has its cell on the image if and only if it is among `windows_inside`."""
    size, stride = at.wholes("size stride", least=1)
    cell, padding, count = at.wholes("cell padding count")
    w = of.windows.Window(0, 0, 0, 0, 0, stride, padding, 0, 0)
    low, high = of.windows.windows_inside(cell, size, w, count)
    at.claim("windows inside are windows", 0 <= low <= high <= count)
    k = at.whole("k", below=count)
    on_image = 0 <= k * stride + cell - padding < size
    at.claim("a window is inside when its cell is on the image", (low <= k < high) == on_image)


THEOREMS: Final = (
    SizeTheorem("Grid", "chunks of an array are disjoint, complete and not empty", _chunks),
    SizeTheorem("Grid", "every number of a product is in a tile", _tiles),
    SizeTheorem("Grid", "no number of a product is in two tiles", _tiles_apart),
    SizeTheorem("Grid", "tiles are numbered by their places", _every_tile),
    SizeTheorem("Grid", "the halving of tiles ends, with sides above 0", _sides),
    SizeTheorem("Grid", "runs of rows are chunks of rows", _runs),
    SizeTheorem("Grid", "the windows that have a cell on the image are those inside", _windows),
)
