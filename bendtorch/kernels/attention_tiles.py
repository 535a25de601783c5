"""What attention's passes do with a tile: a block of queries of one head against the keys that its last query sees.

A tile of m queries and n keys is a product, 2·m·n·hd FLOPs; so is what it adds to a panel. It has 4·m·n bytes and is
meant to stay in a cache; panels are read where they lie, or transposed once a head.

A tile's rows hold scores, then weights; what a query does not see is set to zero. A product of weights with a panel
then adds zeros for it, which changes nothing as long as the panel's numbers are finite. NaN and infinities are
therefore taken out of a panel first, and what they contribute is added afterwards, to the queries that see them alone:
no result depends on what it must not see, not in a single bit.
"""

from __future__ import annotations

from bendtorch.kernels.attention_grid import SPAN, Heads, Place, first_column, key_item, visible_keys
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.gemm import gemm, gemm_add
from bendtorch.kernels.panels import Panel, add_other_part, clear, finite_part, is_finite, part, row_of


@helper
def query_panel(x: Panel, place: Place, heads: Heads) -> Panel:
    """A tile's queries in q, y or a gradient of them."""
    return part(x, place.sequence * heads.queries + place.low, first_column(place.head, heads.hd))


@helper
def key_panel(x: Panel, sequence: int, reads: int, heads: Heads) -> Panel:
    """A key head of a sequence in k, v or a gradient of them."""
    return part(x, sequence * heads.keys, first_column(reads, heads.hd))


@helper
def turned_panel(x: Panel, sequence: int, reads: int, heads: Heads) -> Panel:
    """A key head of a sequence where the key heads stand transposed, one below the other."""
    return part(x, key_item(sequence, reads, heads) * heads.hd, 0)


@kernel
def score_tile(queries: Panel, m: int, hd: int, keys: Panel, n: int, tile: Panel) -> None:
    """tile = q·k, for m rows of queries and the first n columns of transposed keys."""
    for low in range(0, n, SPAN):
        b, c = part(keys, 0, low).address, part(tile, 0, low).address
        width = min(SPAN, n - low)
        gemm(False, False, m, width, hd, queries.address, queries.stride, b, keys.stride, c, tile.stride)


@kernel
def weigh(tile: Panel, m: int, n: int, hd: int, x: Panel, out: Panel) -> None:
    """out = W·x, for the m × n weights W of a tile, n rows of x, and m rows of out."""
    if n == 0:
        clear(out, m, hd)
        return
    gemm(False, False, m, hd, min(SPAN, n), tile.address, tile.stride, x.address, x.stride, out.address, out.stride)
    for low in range(SPAN, n, SPAN):
        a, b = part(tile, 0, low).address, part(x, low, 0).address
        gemm_add(False, False, m, hd, min(SPAN, n - low), a, tile.stride, b, x.stride, out.address, out.stride)


@kernel
def weigh_seen(tile: Panel, place: Place, heads: Heads, x: Panel, is_sound: bool, space: Panel, out: Panel) -> None:
    """A query's sum of the keys' rows of x that it sees, weighted by its row of the tile. `is_sound`: x is finite."""
    m, n, hd = place.high - place.low, place.n, heads.hd
    if is_sound:
        weigh(tile, m, n, hd, x, out)
        return
    finite_part(x, n, hd, space)
    weigh(tile, m, n, hd, space, out)
    for i in range(m):
        seen = row_of(tile, i, seen_by(place, i, heads))
        for j in range(seen.size):
            add_other_part(seen[j], row_of(x, j, hd), row_of(out, i, hd))


@kernel
def add_to_keys(tile: Panel, m: int, n: int, hd: int, x: Panel, out: Panel) -> None:
    """out += Wᵀ·x, for the m × n weights W of a tile, m rows of x, and n rows of out."""
    for low in range(0, n, SPAN):
        a, c = part(tile, 0, low).address, part(out, low, 0).address
        gemm_add(True, False, min(SPAN, n - low), hd, m, a, tile.stride, x.address, x.stride, c, out.stride)


@kernel
def add_to_seen(tile: Panel, place: Place, heads: Heads, x: Panel, space: Panel, out: Panel) -> None:
    """Each query's row of x, weighted by its row of the tile, into the rows of the keys that it sees."""
    m, n, hd = place.high - place.low, place.n, heads.hd
    if is_finite(x, m, hd):
        add_to_keys(tile, m, n, hd, x, out)
        return
    finite_part(x, m, hd, space)
    add_to_keys(tile, m, n, hd, space, out)
    for i in range(m):
        seen = row_of(tile, i, seen_by(place, i, heads))
        for j in range(seen.size):
            add_other_part(seen[j], row_of(x, i, hd), row_of(out, j, hd))


@helper
def seen_by(place: Place, i: int, heads: Heads) -> int:
    """How many keys the query of a tile's row sees."""
    return visible_keys(place.low + i, heads.offset, place.length, heads.causal)
