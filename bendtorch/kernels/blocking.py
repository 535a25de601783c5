"""A run of k of a matrix product, in blocks that fit the caches: packing, panels, strips.

Columns of op(b) are packed into panels of a tile's width, which stay in the second-level cache. A strip of op(a) stays
in the first while the panels go by. It is taken as it lies; where its numbers are too far apart for that, strips are
packed, a few at a time. c goes by in the order in which it lies in memory. What is read later for the first time, the
next strips and the next columns of op(b), is brought near while tiles are computed.

2·m·n·k FLOPs. b is read once, a once for every `COLUMNS` columns of b; what is packed is written and read in the
caches, 8 bytes a number. Measured with the processor's clock, strips take 1.06 to 1.11 times what their FLOPs would,
packing b 0.02 to 0.06 (0.1 from main memory), packing a 0.03 to 0.05 where that is done.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from numba import types

from bendtorch.kernels.blas import INNER, part_at
from bendtorch.kernels.compile import JIT, helper, kernel
from bendtorch.kernels.microkernel import AT_ONCE, NEAR, ROWS, WIDTH
from bendtorch.kernels.parallel import chunks_of
from bendtorch.kernels.vectors import LANES, SUPPORTED

GROUP: Final = 8  # strips of a packed at a time: some 140 KB
COLUMNS: Final = 640  # columns of b packed at a time, at most: some 700 KB of a second-level cache
FEW: Final = 4 * ROWS  # rows of c for which it does not pay to pack b, if its rows lie close together
NARROW: Final = 64  # columns of c for which it does not pay to pack a
FAR: Final = 8192  # numbers between rows of a from which on it pays to pack them: each is in a page of its own
LINE: Final = 64
PANEL: Final = 4 * WIDTH * (INNER + LANES) + LINE  # bytes; panels start in different sets of a cache
BLOCK: Final = 4 * LANES * (INNER + LANES) + LINE

OWN: Final = JIT and SUPPORTED
NAMES: Final = ("bendtorch_strip", "bendtorch_turn", "bendtorch_pack_rows", "bendtorch_pack_columns")

if OWN:
    _signatures = (types.void(*[types.int64] * count) for count in (18, 6, 7, 7))
    _strip, _turn, _copy_rows, _copy_columns = map(types.ExternalFunction, NAMES, _signatures)


class Factor(NamedTuple):
    """A matrix as it is stored, with the distance of its rows in numbers; op(x) is its transpose if it is turned."""

    address: int
    stride: int
    turned: bool


class Target(NamedTuple):
    """Where a product goes; with `add` 1 it is added there, with 2 what is at `before` is added to it first."""

    address: int
    stride: int
    add: int
    before: int
    before_stride: int


class Rows(NamedTuple):
    """Rows of op(a), as they are packed or as they lie: from row to row and from one k to the next, in bytes."""

    address: int
    row: int
    step: int


class Panels(NamedTuple):
    """n columns of op(b), in panels; the last one, if it is narrower, stands packed at `rest`."""

    n: int
    address: int
    step: int
    to_next: int
    rest: int


class Ahead(NamedTuple):
    """What is packed next: rows, their distance and how much of each is brought near, in bytes."""

    address: int
    rows: int
    stride: int
    length: int


@helper
def rows_from(x: Factor, row: int) -> Factor:
    """op(x) from a row on."""
    return Factor(part_at(x.address, not x.turned, x.stride, row), x.stride, x.turned)


@helper
def columns_from(x: Factor, column: int) -> Factor:
    """op(x) from a column on."""
    return Factor(part_at(x.address, x.turned, x.stride, column), x.stride, x.turned)


@helper
def _part(c: Target, row: int, column: int) -> Target:
    """What lies from a row and a column of a target on."""
    address = c.address + 4 * (row * c.stride + column)
    before = c.before + 4 * (row * c.before_stride + column)
    return Target(address, c.stride, c.add, before, c.before_stride)


@helper
def _heights(m: int) -> tuple[int, int]:
    """How high the strips of m rows are, and how many are; the others, which come last, have a row less."""
    strips = chunks_of(m, ROWS)
    height = chunks_of(m, strips)
    return height, m - strips * (height - 1)


@helper
def _first_row(strip: int, m: int) -> int:
    """Where a strip of m rows begins."""
    height, high = _heights(m)
    return strip * (height - 1) + min(strip, high)


@helper
def _pack_panels(b: Factor, n: int, k: int, out: int) -> None:
    """Columns of op(b), `WIDTH` side by side."""
    if not b.turned:
        _copy_columns(b.address, 4 * b.stride, k, n, WIDTH, out, PANEL)
        return
    for j in range(0, n, LANES):
        panel = out + j // WIDTH * PANEL + 4 * (j % WIDTH)
        for p in range(0, k, LANES):
            _turn(b.address + 4 * (j * b.stride + p), 4 * b.stride, n - j, k - p, panel + 4 * WIDTH * p, 4 * WIDTH)


@helper
def _pack_strips(a: Factor, m: int, first: int, last: int, k: int, out: int) -> None:
    """Strips of op(a), their rows side by side: `LANES` numbers for each k, of which the last ones are not theirs."""
    if a.turned:
        height, high = _heights(m)
        middle = min(max(high, first), last)
        for start, end, width in ((first, middle, height), (middle, last, height - 1)):
            if start < end:
                rows, place = rows_from(a, _first_row(start, m)), out + BLOCK * (start - first)
                _copy_rows(rows.address, 4 * a.stride, k, (end - start) * width, width, place, BLOCK)
        return
    for strip in range(first, last):
        low, place = _first_row(strip, m), out + BLOCK * (strip - first)
        rows, count = rows_from(a, low), _first_row(strip + 1, m) - low
        for p in range(0, k, LANES):
            _turn(rows.address + 4 * p, 4 * a.stride, count, k - p, place + 4 * LANES * p, 4 * LANES)


@helper
def _ahead(source: Factor, n: int, k: int) -> Ahead:
    """n columns of op(source) that are read later, if there is such a source."""
    rows, numbers = (n, k) if source.turned else (k, n)
    length = chunks_of(4 * numbers + LINE - 4, NEAR) * NEAR
    return Ahead(source.address, 0 if source.address == 0 or n == 0 else rows, 4 * source.stride, length)


@helper
def _soon(a: Factor, m: int, k: int, strip: int, distance: int, after: Factor) -> Ahead:
    """What a strip brings near of op(a): its share of the strips `distance` further, which may be the next run's."""
    strips, following = chunks_of(m, ROWS), strip + distance
    if a.turned:
        first, share = following // distance * distance, strip % distance
        low, high = _first_row(min(first, strips), m), _first_row(min(first + distance, strips), m)
        start, end = k * share // distance, k * (share + 1) // distance
        return _ahead(Factor(a.address + 4 * (start * a.stride + low), a.stride, False), high - low, end - start)
    source = a if following < strips else after
    low = _first_row(following % strips, m)
    rows = _first_row(following % strips + 1, m) - low
    address = 0 if source.address == 0 else source.address + 4 * low * source.stride
    return _ahead(Factor(address, source.stride, True), rows, k)


@helper
def _reach(k: int) -> int:
    """The bytes that a tile brings near."""
    return k // AT_ONCE * NEAR


@helper
def _later(ahead: Ahead, tiles: int, k: int) -> Ahead:
    """What is left to bring near after some tiles; of a row that is begun, all."""
    rows = _reach(k) * tiles // ahead.length
    return Ahead(ahead.address + rows * ahead.stride, ahead.rows - rows, ahead.stride, ahead.length)


@helper
def _in_bytes(c: Target) -> tuple[int, int, int, int, int]:
    """A target as a strip takes it."""
    return c.address, 4 * c.stride, c.add, c.before, 4 * c.before_stride


@helper
def _tiles(height: int, k: int, a: Rows, b: Panels, first: int, last: int, c: Target, ahead: Ahead) -> None:
    """Some whole tiles of a strip of c."""
    near, length, jump = ahead.address, ahead.length, ahead.stride - ahead.length
    if ahead.rows <= 0:
        near, length, jump = b.address, NEAR, -NEAR
    left = a.address, a.row, a.step, b.address + first * b.to_next, b.step, b.to_next
    if first < last:
        out = _part(c, 0, WIDTH * first)
        _strip(height, WIDTH * (last - first), k, *left, *_in_bytes(out), near, length, length, jump)


@helper
def _multiply_strip(height: int, k: int, a: Rows, b: Panels, c: Target, soon: Ahead, ahead: Ahead) -> Ahead:
    """A strip of c; what is left to bring near after it."""
    whole = b.n // WIDTH
    split = min(chunks_of(soon.rows * soon.length, max(_reach(k), 1)), whole)
    _tiles(height, k, a, b, 0, split, c, soon)
    _tiles(height, k, a, b, split, whole, c, ahead)
    if whole * WIDTH < b.n:
        narrow = a.address, a.row, a.step, b.rest, 4 * WIDTH, 0
        out = _part(c, 0, WIDTH * whole)
        _strip(height, b.n - whole * WIDTH, k, *narrow, *_in_bytes(out), b.rest, NEAR, NEAR, -NEAR)
    return _later(ahead, whole - split, k)


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


@helper
def _rows(a: Factor, low: int, place: int) -> Rows:
    """A strip of op(a) from a row on: as it lies, or where it is packed."""
    own = rows_from(a, low).address
    if place != 0:
        return Rows(place, 4, 4 * LANES)
    return Rows(own, 4, 4 * a.stride) if a.turned else Rows(own, 4 * a.stride, 4)


@helper
def _multiply_block(
    a: Factor, m: int, k: int, panels: Panels, c: Target, after: Factor, ahead: Ahead, space: int
) -> None:
    """All rows of op(a) times some columns of op(b). `space` is 0 if a is not packed."""
    strips = chunks_of(m, ROWS)
    distance, place = 1 if space == 0 else GROUP, 0
    for strip in range(strips):
        if space != 0:
            place = space + BLOCK * (strip % GROUP)
            if strip % GROUP == 0:
                _pack_strips(a, m, strip, min(strip + GROUP, strips), k, space)
        low = _first_row(strip, m)
        soon, height = _soon(a, m, k, strip, distance, after), _first_row(strip + 1, m) - low
        ahead = _multiply_strip(height, k, _rows(a, low, place), panels, _part(c, low, 0), soon, ahead)


@kernel
def multiply_run(
    a: Factor, b: Factor, m: int, n: int, k: int, c: Target, space: int, next_a: Factor, next_b: Factor
) -> None:
    """One run of k; the next one's factors are at the address 0 if there is none."""
    packs_a = n > NARROW if a.turned else n > WIDTH and a.stride >= FAR
    packs_b = b.turned or m > FEW or (m > ROWS and b.stride > COLUMNS)
    panels, blocks = chunks_of(n, WIDTH), chunks_of(n, COLUMNS)
    beside = space + PANEL * chunks_of(min(n, COLUMNS), WIDTH) if packs_a else 0
    for block in range(blocks):
        low, high = panels * block // blocks * WIDTH, min(panels * (block + 1) // blocks * WIDTH, n)
        columns = _panels(columns_from(b, low), high - low, k, packs_b, space)
        after, following = (a, columns_from(b, high)) if high < n else (next_a, next_b)
        ahead = _ahead(following, high - low if packs_b else 0, k)
        _multiply_block(a, m, k, columns, _part(c, 0, low), after, ahead, beside)


@helper
def space_of(m: int, n: int) -> int:
    """The bytes that `multiply_run` packs into, for c of m rows and n columns."""
    return PANEL * chunks_of(min(n, COLUMNS), WIDTH) + BLOCK * min(chunks_of(m, ROWS), GROUP)
