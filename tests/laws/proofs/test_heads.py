"""Attention's indices: a wrong one is refuted, with numbers for which it is wrong."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="the index laws are proved by z3")

from bendtorch.laws.proofs.heads import THEOREMS
from tests.support.planted_kernels import IndexFault, check_refuted, faults

GRID = "attention_grid"
ROOMS = "attention_rooms"


@faults(
    IndexFault(
        GRID, "visible_keys", "offset + query + 1", "offset + query", "L57", "for query = 0, key = 0, offset = 0"
    ),
    IndexFault(GRID, "visible_keys", "offset + query + 1", "query + 1", "L57", "a query sees the keys up to its own"),
    IndexFault(
        GRID, "visible_keys", "if causal else keys", "if causal else keys - 1", "L57", "keys that are seen without"
    ),
    IndexFault(
        GRID, "place_of", "high - 1, heads.offset", "low, heads.offset", "L57", "what a column sees is in its tile"
    ),
    IndexFault(GRID, "key_head", "head // g", "head % g", "L58", "the key head that a member of its group reads"),
    IndexFault(
        GRID,
        "query_head",
        "key_head * g + member",
        "member * g + key_head",
        "L58",
        "for kv = ",
    ),
    IndexFault(GRID, "first_column", "head * hd", "head * (hd - 1)", "L59", "a head's columns"),
    IndexFault(
        GRID, "block_bounds", "(block, BLOCK,", "(block, BLOCK - 1,", "L60 a position", "a position is in a block"
    ),
    IndexFault(GRID, "folded", "n - 1 - i // 2", "n - i // 2", "L60 the order", "a block of the order is a block"),
    IndexFault(
        GRID, "folded", "i // 2 if", "i if", "L60 the order", "the order of blocks has each block once: not proved"
    ),
    IndexFault(
        GRID,
        "run_bounds",
        "(run + 1) * items // runs",
        "(run + 1) * items // runs - 1",
        "L60 each piece",
        "a run's end",
    ),
    IndexFault(GRID, "item_place", "// blocks % count", "% count", "L60 each block", "its place"),
    IndexFault(GRID, "key_place", "item // heads.kv", "item % heads.kv", "L60 a piece of backward", "its place"),
    IndexFault(
        "attention_tiles", "key_panel", "sequence * heads.keys", "sequence * heads.queries", "L59", "where its keys are"
    ),
    IndexFault(GRID, "queries_of", "place.high - place.low", "place.high", "L57", "a tile has room for its queries"),
    IndexFault(GRID, "seen_by", "place.low + i", "i", "L57", "keys that a tile's column sees"),
    IndexFault(GRID, "seeing", "key - heads.offset", "key", "L57", "the first query of a tile that sees a key"),
    IndexFault(GRID, "seeing", "max(0, ", "max(1, ", "L57", "the first query of a tile that sees a key"),
    IndexFault(ROOMS, "key_room", "heads.keys, 0)", "heads.hd, 0)", "L60 working", "rows of a part"),
    IndexFault(ROOMS, "query_room", "queries, whole(heads.hd)", "queries, heads.hd", "L60 working", "rows of a part"),
    IndexFault(ROOMS, "backward_room", "(v, heads.keys,", "(v, heads.queries,", "L60 working", "rows of a part"),
    IndexFault(ROOMS, "backward_room", "(q, BLOCK,", "(q, BLOCK - 1,", "L60 working", "rows of a part"),
    IndexFault(ROOMS, "room_at", "number * room_size", "number", "L60 working", "where a room ends"),
    IndexFault(ROOMS, "line_at", "4 * LINE - 1)", "4 * LINE)", "L60 working", "a room begins"),
)
def test_a_fault_is_refuted(fault: IndexFault) -> None:
    check_refuted(fault, THEOREMS)
