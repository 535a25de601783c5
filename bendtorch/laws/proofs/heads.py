"""Attention's indices, for all sizes: causality (L57), groups of heads (L58), columns of heads (L59), order (L60).

The functions are those that both passes take every index from (`kernels/attention_grid.py`, `attention_tiles.py`); that
they take them from nowhere else is read in their sources (`taken`).
"""

from __future__ import annotations

from typing import Any, Final

from bendtorch.laws.proofs.sizes import SizeTheorem
from bendtorch.laws.proofs.whole import Reasoning

SIZES: Final = "all sizes"


def _heads(at: Reasoning, of: Any, *, causal: bool) -> Any:
    """The sizes of any attention. Of the keys of a sequence, any number may be of use."""
    queries, kv, g, hd = at.wholes("queries kv g hd", least=1)
    return of.attention_grid.Heads(queries, at.whole("keys"), kv, g, hd, causal, at.whole("offset"))


def _tile(at: Reasoning, of: Any, heads: Any, name: str = "") -> Any:
    """Any tile of a sequence."""
    grid = of.attention_grid
    sequence, head = at.whole(f"sequence{name}"), at.whole(f"head{name}", below=heads.kv * heads.g)
    block = at.whole(f"block{name}", below=grid.block_count(heads.queries))
    length = at.whole(f"length{name}", below=heads.keys + 1)
    return grid.place_of(sequence, head, block, length, heads)


# L57.


def _causal(at: Reasoning, of: Any) -> None:
    query, key, offset, keys = at.wholes("query key offset keys")
    seen = of.attention_grid.visible_keys(query, offset, keys, True)
    at.claim("a query sees the keys up to its own place", (key < seen) == (key <= offset + query and key < keys))
    at.equal("keys that are seen without causality", of.attention_grid.visible_keys(query, offset, keys, False), keys)


def _prefix(at: Reasoning, of: Any) -> None:
    t, query = at.wholes("t query")
    prefix = at.whole("prefix", below=t + 1)
    at.assume(query < prefix)
    short, whole = (of.attention_grid.visible_keys(query, 0, keys, True) for keys in (prefix, t))
    at.equal("keys that a query sees in a prefix, and in the whole", short, whole)


def _tiles_see_enough(at: Reasoning, of: Any) -> None:
    for causal in (True, False):
        heads = _heads(at, of, causal=causal)
        tile = _tile(at, of, heads)
        count = of.attention_grid.queries_of(tile)
        at.claim("a tile has room for its queries", 1 <= count <= of.attention_grid.BLOCK)
        at.equal("where a tile's queries end, and the tile", tile.low + count, tile.high)
        query = at.whole("query", below=count)
        seen = of.attention_grid.seen_by(tile, query, heads)
        at.claim(
            "what a column sees is in its tile, which has keys of the sequence", 0 <= seen <= tile.n <= tile.length
        )
        sees = of.attention_grid.visible_keys(tile.low + query, heads.offset, tile.length, causal)
        at.equal("keys that a tile's column sees, and its query", seen, sees)
        key = at.whole("key", below=tile.n)
        first = of.attention_grid.seeing(tile, key, heads)
        at.claim("the first query of a tile that sees a key, and who sees it", (first <= query) == (key < seen))


# L58.


def _grouped(at: Reasoning, of: Any) -> None:
    grid, kv, g = of.attention_grid, at.whole("kv", 1), at.whole("g", 1)
    reads, member = at.whole("key head", below=kv), at.whole("member", below=g)
    head = grid.query_head(reads, member, g)
    at.claim("a member of a group is a query head", 0 <= head < kv * g)
    at.equal("the key head that a member of its group reads", grid.key_head(head, g), reads)
    other = grid.query_head(at.whole("other key head", below=kv), at.whole("other member", below=g), g)
    at.assume(other == head)
    at.equal("groups of the same query head", grid.key_head(other, g), reads)


def _in_a_group(at: Reasoning, of: Any) -> None:
    grid, kv, g = of.attention_grid, at.whole("kv", 1), at.whole("g", 1)
    head = at.whole("head", below=kv * g)
    reads = grid.key_head(head, g)
    at.claim("what a query head reads is a key head", 0 <= reads < kv)
    at.equal("a query head, and the member of the group it is in", grid.query_head(reads, head % g, g), head)
    at.equal(
        "the key head of a tile", grid.place_of(0, head, 0, 0, _heads(at, of, causal=True)._replace(g=g)).reads, reads
    )


# L59.


def _disjoint(at: Reasoning, of: Any) -> None:
    grid, hd, heads = of.attention_grid, at.whole("hd", 1), at.whole("heads", 1)
    head = at.whole("head", below=heads)
    first, after = grid.first_column(head, hd), grid.first_column(head + 1, hd)
    at.claim("a head's columns are those of the matrix", 0 <= first < after <= heads * hd)
    at.equal("a head's columns, and hd", after - first, hd)
    column = at.whole("column", below=heads * hd)
    owner = column // hd
    at.claim("a column is in a head", grid.first_column(owner, hd) <= column < grid.first_column(owner + 1, hd))
    at.assume(first <= column < after)
    at.equal("the one head of a column", owner, head)


def _in_place(at: Reasoning, of: Any) -> None:
    heads, tiles = _heads(at, of, causal=True), of.attention_tiles
    tile = _tile(at, of, heads)
    x = of.panels.Panel(at.whole("address"), at.whole("stride"))
    row, column = tile.sequence * heads.queries + tile.low, tile.head * heads.hd
    panel = tiles.query_panel(x, tile, heads)
    at.equal("where a tile's queries are", panel.address - x.address, 4 * (row * x.stride + column))
    keys = tiles.key_panel(x, tile.sequence, tile.reads, heads)
    row, column = tile.sequence * heads.keys, tile.reads * heads.hd
    at.equal("where its keys are", keys.address - x.address, 4 * (row * x.stride + column))
    at.equal("the rows' distances", (panel.stride, keys.stride), (x.stride, x.stride))


# L60.


def _rows(at: Reasoning, of: Any) -> None:
    """A row of q and y is one position of one sequence."""
    queries = at.whole("queries", 1)
    (sequence, position), (other, place) = (
        (at.whole(f"sequence{name}"), at.whole(f"position{name}", below=queries)) for name in ("", " 2")
    )
    at.assume(sequence * queries + position == other * queries + place)
    at.equal("sequences of one row", sequence, other)
    at.equal("positions of one row", position, place)


def _blocks(at: Reasoning, of: Any) -> None:
    """A position is in one block of queries."""
    grid, queries = of.attention_grid, at.whole("queries", 1)
    blocks = grid.block_count(queries)
    position, block = at.whole("position", below=queries), at.whole("block", below=blocks)
    low, high = grid.block_bounds(block, queries)
    at.claim("a block has queries of the sequence, no more than there is room for", 0 <= low < high <= queries)
    at.claim("it has no more queries than there is room for", high - low <= grid.BLOCK)
    owner = position // grid.BLOCK
    begin, end = grid.block_bounds(owner, queries)
    at.claim("a position is in a block", 0 <= owner < blocks and begin <= position < end)
    at.assume(low <= position < high)
    at.equal("the one block of a position", block, owner)


def _items(at: Reasoning, of: Any) -> None:
    grid, heads, sequences = of.attention_grid, _heads(at, of, causal=True), at.whole("sequences", 1)
    blocks, count = grid.block_count(heads.queries), heads.kv * heads.g
    at.equal("pieces of work", grid.forward_items(sequences, heads), sequences * count * blocks)


def _place_of_item(at: Reasoning, of: Any) -> None:
    """Each block of each head of each sequence is one piece of the forward pass's work."""
    grid = of.attention_grid
    heads = grid.Heads(at.whole("queries", 1), 0, at.whole("kv", 1), 1, 1, True, 0)
    blocks, count = grid.block_count(heads.queries), heads.kv * heads.g
    at.claim("there is a block", blocks >= 1)
    sequence, head, turn = at.whole("sequence"), at.whole("head", below=count), at.whole("turn", below=blocks)
    line = sequence * count + head
    item = line * blocks + turn
    at.equal("its turn", item % blocks, turn)
    at.equal("its line", item // blocks, line)
    at.equal("its head", line % count, head)
    at.equal("its sequence", item // (blocks * count), sequence)
    at.equal("its place", grid.item_place(item, heads), (sequence, head, grid.folded(turn, blocks)))


def _folds(at: Reasoning, of: Any) -> None:
    """The order of blocks leaves none out and has none twice."""
    n = at.whole("n")
    i, j = at.whole("i", below=n), at.whole("j", below=n)
    one, other = of.attention_grid.folded(i, n), of.attention_grid.folded(j, n)
    at.claim("a block of the order is a block", 0 <= one < n)
    at.assume(one == other)
    at.equal("places of one block in the order", i, j)


def _dealt(at: Reasoning, of: Any) -> None:
    """Each piece of work is in one run: the first begins at 0, each where the one before ends, the last ends at all."""
    grid, items = of.attention_grid, at.whole("items", 1)
    runs = at.whole("runs", 1)
    run = at.whole("run", below=runs)
    low, high = grid.run_bounds(run, runs, items)
    at.claim("a run's end is not before its beginning", low <= high)
    at.equal("a run's end, and the next one's beginning", high, grid.run_bounds(run + 1, runs, items)[0])
    at.equal("the first beginning", grid.run_bounds(0 * run, runs, items)[0], 0)
    at.equal("the last end", grid.run_bounds(runs - 1, runs, items)[1], items)
    made = grid.run_count(items)
    at.claim("there are as many runs as have work", 1 <= made <= items)


def _key_heads(at: Reasoning, of: Any) -> None:
    """Pieces of the backward pass's work are key heads of sequences."""
    grid, heads, sequences = of.attention_grid, _heads(at, of, causal=True), at.whole("sequences", 1)
    sequence, reads = at.whole("sequence", below=sequences), at.whole("key head", below=heads.kv)
    item = grid.key_item(sequence, reads, heads)
    at.claim("its number is one of the pieces", 0 <= item < grid.backward_items(sequences, heads))
    at.equal("its place", grid.key_place(item, heads), (sequence, reads))
    number = at.whole("number", below=grid.backward_items(sequences, heads))
    at.equal("a piece of work, and the one of its place", grid.key_item(*grid.key_place(number, heads), heads), number)


def _parts(at: Reasoning, room: Any, written: Any) -> None:
    """Each part of a room has the rows and columns that are written there, before the next one begins."""
    ends = [part.address for part in room[1:-1]] + [room.end]
    for part, end, (rows, columns) in zip(room[:-1], ends, written, strict=True):
        at.claim("a row of a part is as long as what is written", columns <= part.stride)
        at.equal("the rows of a part, and those that are written", end - part.address, 4 * (rows * part.stride))


def _rooms(at: Reasoning, of: Any) -> None:
    """Transposing writes whole blocks, and a copy whole vectors; tiles have whole vectors of queries."""
    rooms, whole, heads = of.attention_rooms, of.strips.whole, _heads(at, of, causal=True)
    keys, block, deep = heads.keys, rooms.BLOCK, whole(heads.hd)
    at.claim("blocks and vectors hold what there is", heads.hd <= deep and block <= whole(block))
    of_keys, turned, of_queries, tile = (keys, deep), (deep, whole(block)), (block, deep), (keys, whole(block))
    start = at.whole("address")
    _parts(at, rooms.key_room(start, heads), (of_keys, of_keys))
    _parts(at, rooms.query_room(start, heads), (turned, tile))
    both = (of_keys, of_keys, turned, turned, of_queries, of_queries, tile, tile)
    _parts(at, rooms.backward_room(start, heads), both)


def _rooms_apart(at: Reasoning, of: Any) -> None:
    """Rooms of several key heads; and a room in a run's own memory, which begins anywhere."""
    rooms, heads = of.attention_rooms, _heads(at, of, causal=True)
    number, start, size = at.whole("number"), at.whole("start"), rooms.key_room(0, heads).end
    begin = rooms.room_at(number, size, start)
    at.equal(
        "where a room ends, and the next", rooms.key_room(begin, heads).end, rooms.room_at(number + 1, size, start)
    )
    line = rooms.line_at(start)
    at.claim("a room begins in its memory, at most a line behind", start <= line < start + 4 * rooms.LINE)


THEOREMS: Final = (
    SizeTheorem("L57", "a query sees the keys up to its own place, and no others", _causal, SIZES),
    SizeTheorem("L57", "a query sees in a prefix what it sees in the whole", _prefix, SIZES),
    SizeTheorem("L57", "a tile's columns see what their queries see, all of it in the tile", _tiles_see_enough, SIZES),
    SizeTheorem("L58", "the members of a key head's group read it, and are in no other group", _grouped, SIZES),
    SizeTheorem("L58", "every query head is a member of the group of what it reads", _in_a_group, SIZES),
    SizeTheorem("L59", "the columns of heads are disjoint and complete", _disjoint, SIZES),
    SizeTheorem("L59", "a tile's panels begin at its rows and its heads' columns, in both passes", _in_place, SIZES),
    SizeTheorem("L60", "a row is one position of one sequence", _rows, SIZES),
    SizeTheorem("L60", "a position is in one block", _blocks, SIZES),
    SizeTheorem("L60", "there are as many pieces of forward work as blocks of heads of sequences", _items, SIZES),
    SizeTheorem("L60", "each block of each head of each sequence is one piece of forward work", _place_of_item, SIZES),
    SizeTheorem("L60", "the order of blocks has each block once", _folds, SIZES),
    SizeTheorem("L60", "each piece of work is dealt to one run", _dealt, SIZES),
    SizeTheorem("L60", "working spaces: parts hold what is written there", _rooms, SIZES),
    SizeTheorem("L60", "working spaces: rooms lie apart", _rooms_apart, SIZES),
    SizeTheorem("L60", "a piece of backward work for each key head of each sequence", _key_heads, SIZES),
)
