"""A run of k of a matrix product, in blocks that fit the caches: packing, panels, tiles.

Columns of op(b) are packed into panels of a tile's width, which stay in the second-level cache; blocks of rows of op(a)
are packed so that the numbers of one k lie side by side, and stay in the first. Panels and rows of c then go by in the
order in which they lie in memory. While tiles are computed, what is packed next is brought near.

2·m·n·k FLOPs. b is read once, a once for every `COLUMNS` columns of b; what is packed is written and read in the
caches, 8 bytes a number.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from numba import types

from bendtorch.kernels.blas import INNER, part_at
from bendtorch.kernels.compile import JIT, helper, kernel
from bendtorch.kernels.microkernel import HEIGHTS, LANES, ROWS, SUPPORTED, WIDTH
from bendtorch.kernels.parallel import chunks_of

GROUP: Final = 8 * ROWS  # rows of a packed at a time
COLUMNS: Final = 640  # columns of b packed at a time, at most: some 600 KB of a second-level cache
FEW: Final = 4 * ROWS  # rows of c for which it does not pay to pack b, if its rows lie close together
NARROW: Final = 64  # columns of c for which it does not pay to pack a
LINE: Final = 64
PANEL: Final = 4 * WIDTH * (INNER + LANES) + LINE  # bytes; panels start in different sets of a cache
BLOCK: Final = 4 * (ROWS * (INNER + LANES) + LANES) + LINE
AT_A_TIME: Final = 2  # rows of what is packed next that a tile brings near

OWN: Final = JIT and SUPPORTED
NAMES: Final = ("bendtorch_tile", "bendtorch_turn", "bendtorch_pack_rows", "bendtorch_pack_columns")

if OWN:
    _signatures = (types.void(*[types.int64] * 13), *[types.void(*[types.int64] * 6)] * 3)
    _tile, _turn, _copy_rows, _copy_columns = map(types.ExternalFunction, NAMES, _signatures)


class Factor(NamedTuple):
    """A matrix as it is stored, with the distance of its rows in numbers; op(x) is its transpose if it is turned."""

    address: int
    stride: int
    turned: bool


class Target(NamedTuple):
    """Where a product goes, or, with `add`, is added (1 or 0)."""

    address: int
    stride: int
    add: int


class Rows(NamedTuple):
    """m rows of op(a): from one k to the next in bytes, and from a block of rows to the next."""

    m: int
    address: int
    step: int
    to_next: int


class Panels(NamedTuple):
    """n columns of op(b), in panels; the last one, if it is narrower, stands packed at `rest`."""

    n: int
    address: int
    step: int
    to_next: int
    rest: int


class Ahead(NamedTuple):
    """What is packed next: rows, their distance in bytes, and the bytes of each to bring near for one k."""

    address: int
    rows: int
    stride: int
    step: int


@helper
def rows_from(x: Factor, row: int) -> Factor:
    """op(x) from a row on."""
    return Factor(part_at(x.address, not x.turned, x.stride, row), x.stride, x.turned)


@helper
def columns_from(x: Factor, column: int) -> Factor:
    """op(x) from a column on."""
    return Factor(part_at(x.address, x.turned, x.stride, column), x.stride, x.turned)


@helper
def _pack_panels(b: Factor, n: int, k: int, out: int) -> None:
    """Columns of op(b), `WIDTH` side by side."""
    if not b.turned:
        _copy_columns(b.address, 4 * b.stride, k, n, out, PANEL)
        return
    for j in range(0, n, LANES):
        panel = out + j // WIDTH * PANEL + 4 * (j % WIDTH)
        for p in range(0, k, LANES):
            _turn(b.address + 4 * (j * b.stride + p), 4 * b.stride, n - j, k - p, panel + 4 * WIDTH * p, 4 * WIDTH)


@helper
def _pack_rows(a: Factor, m: int, k: int, out: int) -> None:
    """Rows of op(a), `ROWS` side by side."""
    if a.turned:
        _copy_rows(a.address, 4 * a.stride, k, m, out, BLOCK)
        return
    for block in range(chunks_of(m, ROWS)):
        low = block * ROWS
        for p in range(0, k, LANES):
            place = out + BLOCK * block + 4 * ROWS * p
            _turn(a.address + 4 * (low * a.stride + p), 4 * a.stride, min(ROWS, m - low), k - p, place, 4 * ROWS)


@helper
def _tiles(m: int, width: int, k: int, a: int, a_step: int, b: int, b_step: int, c: Target, ahead: Ahead) -> None:
    """The tiles of a block of rows and a panel."""
    row = 4 * c.stride
    near, second = ahead.address if ahead.rows > 0 else b, ahead.stride if ahead.rows > 1 else 0
    done = 0
    for height in HEIGHTS:
        while m - done >= height:
            left, out = a + 4 * done, c.address + done * row
            _tile(height, k, left, a_step, b, b_step, out, row, width, c.add, near, second, ahead.step)
            done += height


@helper
def _later(ahead: Ahead, tiles: int) -> Ahead:
    """What is left to bring near after some tiles."""
    rows = AT_A_TIME * tiles
    return Ahead(ahead.address + rows * ahead.stride, ahead.rows - rows, ahead.stride, ahead.step)


@kernel
def _multiply_group(rows: Rows, panels: Panels, k: int, c: Target, ahead: Ahead) -> None:
    """Rows of op(a), as they are packed or as they lie, times panels of op(b)."""
    for low in range(0, rows.m, ROWS):
        height, left = min(ROWS, rows.m - low), rows.address + rows.to_next * (low // ROWS)
        for j in range(0, panels.n, WIDTH):
            width, right, step = WIDTH, panels.address + j // WIDTH * panels.to_next, panels.step
            if panels.n - j < WIDTH:
                width, right, step = panels.n - j, panels.rest, 4 * WIDTH
            out = Target(c.address + 4 * (low * c.stride + j), c.stride, c.add)
            _tiles(height, width, k, left, rows.step, right, step, out, ahead)
            ahead = _later(ahead, 1)


@helper
def _ahead(source: Factor, n: int, k: int) -> Ahead:
    """n columns of op(b) that are packed next, if there is such a source."""
    if source.address == 0:
        return Ahead(0, 0, 0, 0)
    rows, step = (n, 4) if source.turned else (k, 4 * chunks_of(n, k))
    return Ahead(source.address, rows, 4 * source.stride, step)


@helper
def _panels(b: Factor, n: int, k: int, packed: bool, space: int) -> Panels:
    """n columns of op(b), packed, or as they lie but for the last panel."""
    whole = n // WIDTH
    if packed:
        _pack_panels(b, n, k, space)
        return Panels(n, space, 4 * WIDTH, PANEL, space + PANEL * whole)
    if whole * WIDTH < n:
        _pack_panels(columns_from(b, whole * WIDTH), n - whole * WIDTH, k, space)
    return Panels(n, b.address, 4 * b.stride, 4 * WIDTH, space)


@kernel
def multiply_run(a: Factor, b: Factor, m: int, n: int, k: int, c: Target, space: int, following: Factor) -> None:
    """One run of k; `following` is op(b) in the next one, at the address 0 if there is none."""
    packs_a = not a.turned or n > NARROW
    packs_b = b.turned or m > FEW or (m > ROWS and b.stride > COLUMNS)
    panels, blocks = chunks_of(n, WIDTH), chunks_of(n, COLUMNS)
    for block in range(blocks):
        low, high = panels * block // blocks * WIDTH, min(panels * (block + 1) // blocks * WIDTH, n)
        columns = _panels(columns_from(b, low), high - low, k, packs_b, space)
        ahead = _ahead(columns_from(b, high) if high < n else following, high - low if packs_b else 0, k)
        for i in range(0, m, GROUP):
            own, height = rows_from(a, i), min(GROUP, m - i)
            rows = Rows(height, own.address, 4 * own.stride, 4 * ROWS)
            if packs_a:
                rows = Rows(height, space + PANEL * chunks_of(min(n, COLUMNS), WIDTH), 4 * ROWS, BLOCK)
                _pack_rows(own, height, k, rows.address)
            _multiply_group(rows, columns, k, Target(c.address + 4 * (i * c.stride + low), c.stride, c.add), ahead)
            ahead = _later(ahead, chunks_of(height, ROWS) * chunks_of(high - low, WIDTH))


@helper
def space_of(m: int, n: int) -> int:
    """The bytes that `multiply_run` packs into, for c of m rows and n columns."""
    return PANEL * chunks_of(min(n, COLUMNS), WIDTH) + BLOCK * chunks_of(min(m, GROUP), ROWS)
