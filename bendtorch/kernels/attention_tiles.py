"""What attention's passes do with a tile: a block of queries of one head against the keys that its last query sees.

A tile has a row for each key and a column for each query: m·n·4 bytes, which are meant to stay in a cache. Its scores
are a product, 2·m·n·hd FLOPs, and so is what it adds to a panel. Products are made strip by strip (`strips`), and a
strip leaves out what none of its queries sees: half of what lies on the diagonal.

What a query does not see, of what a strip has, has the weight zero. A product of weights with a panel then adds zeros
for it, which changes nothing as long as the panel's numbers are finite. NaN and infinities are therefore taken out of a
panel first, and what they contribute is added afterwards, to the queries that see them alone: no result depends on what
it must not see, not in a single bit.
"""

from __future__ import annotations

from bendtorch.kernels.attention_grid import Heads, Place, first_column, queries_of, seeing, seen_by, span_of
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.lanes import LANES
from bendtorch.kernels.panels import Panel, add_other_part, clear, part, row_of
from bendtorch.kernels.strips import columns_of, height_of, rows_of, strip, whole


@helper
def query_panel(x: Panel, place: Place, heads: Heads) -> Panel:
    """A tile's queries in q, y or a gradient of them."""
    return part(x, place.sequence * heads.queries + place.low, first_column(place.head, heads.hd))


@helper
def key_panel(x: Panel, sequence: int, reads: int, heads: Heads) -> Panel:
    """A key head of a sequence in k, v or a gradient of them."""
    return part(x, sequence * heads.keys, first_column(reads, heads.hd))


@helper
def _unseeing(place: Place, key: int, heads: Heads) -> int:
    """How many queries, in whole vectors, are left out because they do not see a key."""
    return seeing(place, key, heads) // LANES * LANES


@kernel
def score_tile(keys: Panel, queries: Panel, place: Place, heads: Heads, tile: Panel) -> None:
    """tile = k·q, for transposed queries; not set where none of `LANES` queries sees a strip's keys."""
    width, j = whole(queries_of(place)), 0
    while j < place.n:
        rows, low = height_of(place.n - j), _unseeing(place, j, heads)
        strip(rows_of(part(keys, j, 0)), part(queries, 0, low), rows, width - low, heads.hd, part(tile, j, low), 0)
        j += rows


@kernel
def weigh(tile: Panel, place: Place, heads: Heads, x: Panel, out: Panel) -> None:
    """out = Σ weight·x over the keys, for every query of a tile."""
    m, span = queries_of(place), span_of(heads.hd)
    if place.n == 0:
        clear(out, m, heads.hd)
    for low in range(0, place.n, span):
        i = 0
        while i < m:
            rows = height_of(m - i)
            count = min(span, seen_by(place, i + rows - 1, heads) - low)
            if count > 0:
                weights, numbers, add = columns_of(part(tile, low, i)), part(x, low, 0), 1 if low > 0 else 0
                strip(weights, numbers, rows, heads.hd, count, part(out, i, 0), add)
            i += rows


@kernel
def weigh_seen(tile: Panel, place: Place, heads: Heads, finite: Panel, x: Panel, is_sound: bool, out: Panel) -> None:
    """A query's sum of the keys' rows of x that it sees, weighted. `finite` is x without NaN and infinities.

    `is_sound`: there are none.
    """
    weigh(tile, place, heads, finite, out)
    if is_sound:
        return
    for i in range(queries_of(place)):
        for j in range(seen_by(place, i, heads)):
            weight = row_of(tile, j, i + 1)[i]
            add_other_part(weight, row_of(x, j, heads.hd), row_of(out, i, heads.hd))


@kernel
def spread(tile: Panel, place: Place, heads: Heads, x: Panel, out: Panel, add: int) -> None:
    """out = Σ weight·x over the queries, or out += it, for every key of a tile."""
    j, m = 0, queries_of(place)
    while j < place.n:
        rows, first = height_of(place.n - j), seeing(place, j, heads)
        weights = rows_of(part(tile, j, first))
        strip(weights, part(x, first, 0), rows, heads.hd, m - first, part(out, j, 0), add)
        j += rows


@kernel
def spread_seen(
    tile: Panel, place: Place, heads: Heads, finite: Panel, x: Panel, is_sound: bool, out: Panel, add: int
) -> None:
    """Each query's row of x, weighted, into the rows of the keys that it sees; arguments as of the others."""
    spread(tile, place, heads, finite, out, add)
    if is_sound:
        return
    for i in range(queries_of(place)):
        for j in range(seen_by(place, i, heads)):
            weight = row_of(tile, j, i + 1)[i]
            add_other_part(weight, row_of(x, i, heads.hd), row_of(out, j, heads.hd))
