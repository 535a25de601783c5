"""Attention's indices: where heads stand, which keys a query sees, how the work is cut. No array is touched here.

Both passes take every index from these functions, so what is proved of them (L57 to L59) holds for both.

Rows count through the sequences, then through the positions; columns through the heads, then through a head's numbers.
A query at position i of its sequence stands at position `offset + i` among the keys.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from bendtorch.kernels.compile import helper
from bendtorch.kernels.parallel import chunk_bounds, chunks_of

BLOCK: Final = 32  # queries a tile: their scores stay in the cache, and little of a tile is hidden by causality
SPAN: Final = 128  # keys a product: what it reads of them stays in the nearest cache
NARROW: Final = 16  # numbers of a head whose scores have so few roundings that those of longer sums would show
LINE: Final = 16  # numbers in a cache line
MOST_RUNS: Final = 64  # each has a working space of its own


class Heads(NamedTuple):
    """The sizes of an attention. `queries` and `keys` are those of one sequence; a key head serves `g` query heads."""

    queries: int
    keys: int
    kv: int
    g: int
    hd: int
    causal: bool
    offset: int


Sizes: TypeAlias = tuple[int, int, int, int, int, bool, int]


class Place(NamedTuple):
    """A tile: queries `low` to before `high` of one head of a sequence, and the keys that the last of them sees.

    `reads` is the key head; the first `n` keys of the sequence are seen, of `length` that there are.
    """

    sequence: int
    head: int
    reads: int
    low: int
    high: int
    length: int
    n: int


@helper
def key_head(head: int, g: int) -> int:
    """The key head that a query head reads."""
    return head // g


@helper
def query_head(key_head: int, member: int, g: int) -> int:
    """The query head that is member number `member` (below g) of a key head's group."""
    return key_head * g + member


@helper
def first_column(head: int, hd: int) -> int:
    """A head has the columns from this one up to the next head's."""
    return head * hd


@helper
def visible_keys(query: int, offset: int, keys: int, causal: bool) -> int:
    """How many keys a query sees: the first so many of its sequence."""
    return min(offset + query + 1, keys) if causal else keys


@helper
def span_of(hd: int) -> int:
    """How many keys are summed in a row; then their sums are."""
    return SPAN if hd >= NARROW else NARROW


@helper
def block_count(queries: int) -> int:
    """How many blocks the queries of a sequence are cut into."""
    return chunks_of(queries, BLOCK)


@helper
def block_bounds(block: int, queries: int) -> tuple[int, int]:
    """The queries of a block: from the first to before the second."""
    return chunk_bounds(block, BLOCK, queries)


@helper
def folded(i: int, n: int) -> int:
    """0, n - 1, 1, n - 2, ...: an order of n blocks in which neighbours have equal work, though later ones see more."""
    return i // 2 if i % 2 == 0 else n - 1 - i // 2


@helper
def item_place(item: int, heads: Heads) -> tuple[int, int, int]:
    """The sequence, query head and block of queries of a piece of the forward pass's work."""
    blocks, count = block_count(heads.queries), heads.kv * heads.g
    return item // (blocks * count), item // blocks % count, folded(item % blocks, blocks)


@helper
def key_item(sequence: int, reads: int, heads: Heads) -> int:
    """The number of a key head of a sequence among all of them: a piece of the backward pass's work."""
    return sequence * heads.kv + reads


@helper
def key_place(item: int, heads: Heads) -> tuple[int, int]:
    """The sequence and the key head of this number."""
    return item // heads.kv, item % heads.kv


@helper
def place_of(sequence: int, head: int, block: int, length: int, heads: Heads) -> Place:
    """The tile of a block of queries of a head, in a sequence of `length` keys."""
    low, high = block_bounds(block, heads.queries)
    n = visible_keys(high - 1, heads.offset, length, heads.causal)
    return Place(sequence, head, key_head(head, heads.g), low, high, length, n)


@helper
def queries_of(place: Place) -> int:
    """How many queries a tile has."""
    return place.high - place.low


@helper
def seen_by(place: Place, i: int, heads: Heads) -> int:
    """How many keys the query of a tile's column sees."""
    return visible_keys(place.low + i, heads.offset, place.length, heads.causal)


@helper
def seeing(place: Place, key: int, heads: Heads) -> int:
    """The first query of a tile that sees a key, of those that the last query sees."""
    return max(0, key - heads.offset - place.low) if heads.causal else 0


@helper
def run_bounds(run: int, runs: int, items: int) -> tuple[int, int]:
    """The pieces of work of a run: from the first to before the second."""
    return run * items // runs, (run + 1) * items // runs


# What Python needs to know before it calls a kernel.


def sizes_of(heads: Heads) -> Sizes:
    """The fields of `heads` as a plain tuple, whose type numba finds sooner when a kernel is called."""
    return heads.queries, heads.keys, heads.kv, heads.g, heads.hd, heads.causal, heads.offset


def forward_items(sequences: int, heads: Heads) -> int:
    """How many pieces of work the forward pass has: one for each block of queries of each head of each sequence."""
    return sequences * heads.kv * heads.g * -(-heads.queries // BLOCK)


def backward_items(sequences: int, heads: Heads) -> int:
    """How many the backward pass has: one for each key head of each sequence."""
    return sequences * heads.kv


def run_count(items: int) -> int:
    """How many runs pieces of work are dealt into; by the sizes alone, so that the bits do not depend on threads."""
    return min(items, MOST_RUNS)
