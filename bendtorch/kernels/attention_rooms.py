"""Attention's working spaces: what a key head's copies and a tile of queries take, and where each part begins.

The parts of a room lie one after another, each on a cache line of its own. A room made at the address 0 ends at its
size: so what is asked for and what is written come from the same function.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from bendtorch.kernels.attention_grid import BLOCK, LINE, Heads, Sizes, sizes_of
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.panels import Panel
from bendtorch.kernels.strips import whole


class KeyRoom(NamedTuple):
    """Of a key head of a sequence: its keys and values with zeros for what is not finite."""

    keys: Panel
    values: Panel
    end: int


class QueryRoom(NamedTuple):
    """Of a block of queries of a head: transposed queries; weights, a row for each key and a column for each query."""

    queries: Panel
    tile: Panel
    end: int


class BackwardRoom(NamedTuple):
    """Of a run of the backward pass: a key head's finite keys and values; of a block q and dy, transposed and finite.

    And its tiles of P and dS.
    """

    k: Panel
    v: Panel
    queries: Panel
    slopes: Panel
    q: Panel
    dy: Panel
    p: Panel
    ds: Panel
    end: int


@helper
def behind(x: Panel, rows: int, stride: int) -> Panel:
    """A panel that begins where `rows` rows of another end."""
    return Panel(x.address + 4 * rows * x.stride, stride)


@helper
def key_room(address: int, heads: Heads) -> KeyRoom:
    """The room of a key head in the forward pass."""
    keys = Panel(address, whole(heads.hd))
    values = behind(keys, heads.keys, whole(heads.hd))
    return KeyRoom(keys, values, behind(values, heads.keys, 0).address)


@helper
def query_room(address: int, heads: Heads) -> QueryRoom:
    """The room of a run of the forward pass."""
    queries = Panel(address, whole(BLOCK))
    tile = behind(queries, whole(heads.hd), whole(BLOCK))
    return QueryRoom(queries, tile, behind(tile, heads.keys, 0).address)


@helper
def backward_room(address: int, heads: Heads) -> BackwardRoom:
    """The room of a run of the backward pass."""
    deep, block = whole(heads.hd), whole(BLOCK)
    k = Panel(address, deep)
    v = behind(k, heads.keys, deep)
    queries = behind(v, heads.keys, block)
    slopes = behind(queries, deep, block)
    q = behind(slopes, deep, deep)
    dy = behind(q, BLOCK, deep)
    p = behind(dy, BLOCK, block)
    ds = behind(p, heads.keys, block)
    return BackwardRoom(k, v, queries, slopes, q, dy, p, ds, behind(ds, heads.keys, 0).address)


@helper
def room_at(number: int, room_size: int, start: int) -> int:
    """Where a room begins, of rooms of one size that lie one after another."""
    return start + number * room_size


@helper
def line_at(address: int) -> int:
    """The first cache line that begins at an address or behind it."""
    return (address + 4 * LINE - 1) // (4 * LINE) * (4 * LINE)


@kernel
def _key_room_size(sizes: Sizes) -> int:
    return key_room(0, Heads(*sizes)).end


@lru_cache(maxsize=256)
def key_room_size(heads: Heads) -> int:
    """The bytes of a key head's room, which several runs meet in.

    A run makes its own room when it begins, in memory that its thread has near.
    """
    return int(_key_room_size(sizes_of(heads)))
