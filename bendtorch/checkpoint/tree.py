"""Packed moments as a tree of cells, in the nesting of the parameters, as raw files hold them.

A cell is a float32 that holds the bits of a uint32 (or, for an unpacked second moment, a float32 itself):

    0, second        parameters not stepped yet, or none: is the second moment packed too (1 or 0)
    1, left, right   a pair
    2, n, m, v       a matrix of n numbers: ceil(n / 2) words of the first moment, as many of the second
    3, n, m, v       the same with n float32 numbers of the second moment

Element 2k stands in the low half of word k. A tuple of more than two is a pair of its first and of the rest.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np

from bendtorch.errors import CheckpointError
from bendtorch.optim.state import PackedMoments
from bendtorch.shapes.arrays import FlatF32

NONE: Final = 0
PAIR: Final = 1
BOTH: Final = 2
FIRST: Final = 3


def tree_cells(p: Any, state: PackedMoments, stepped: bool) -> FlatF32:
    """The cells of the moments of parameters nested as `p` is."""
    pieces: list[np.ndarray[Any, np.dtype[np.uint32]]] = []
    both = int(state.v.dtype == np.uint16)
    if not stepped:
        return np.array([NONE, both], np.uint32).view(np.float32)
    place = 0
    for kind, n in _walk(p):
        if kind == NONE:
            place += n  # a counter has cells, but no moments
            pieces.append(np.array([NONE, both], np.uint32))
        elif kind == PAIR:
            pieces.append(np.array([PAIR], np.uint32))
        else:
            m, v = state.m[place : place + n], state.v[place : place + n]
            pieces += [np.array([BOTH if both else FIRST, n], np.uint32), _words(m), _words(v)]
            place += n
    return np.concatenate(pieces).view(np.float32)


def read_tree(p: Any, state: PackedMoments, cells: FlatF32, where: str) -> int:
    """Fill the moments from cells; gives how many cells the tree took.

    Raises `CheckpointError` when the tree has another shape than the parameters `p`, or other sizes.
    """
    words = cells.view(np.uint32)
    both = int(state.v.dtype == np.uint16)
    if words.size >= 2 and words[0] == NONE and next(iter(_walk(p)))[0] != NONE:
        _expect(words, 0, [NONE, both], where)
        return 2
    place = at = 0
    for kind, n in _walk(p):
        if kind == NONE:
            at = _expect(words, at, [NONE, both], where)
            place += n
        elif kind == PAIR:
            at = _expect(words, at, [PAIR], where)
        else:
            at = _expect(words, at, [BOTH if both else FIRST, n], where)
            for target in (state.m, state.v):
                used = (n + 1) // 2 if target.dtype == np.uint16 else n
                if at + used > words.size:
                    raise CheckpointError(f"{where}: ends within the moments of a matrix of {n} numbers")
                target[place : place + n] = _numbers(words[at : at + used], target.dtype)[:n]
                at += used
            place += n
    return at


def _walk(p: Any) -> list[tuple[int, int]]:
    """The nodes of the tree of `p` in order, each with the count of its numbers."""
    if isinstance(p, np.ndarray):
        return [(NONE if p.dtype == np.uint32 else BOTH, p.size)]
    parts = list(p) if isinstance(p, tuple) else [getattr(p, field.name) for field in dataclasses.fields(p)]
    if not parts:
        return [(NONE, 0)]
    if len(parts) == 1:
        return _walk(parts[0])
    found: list[tuple[int, int]] = []
    for part in parts[:-1]:  # in a loop: a thousand copies are nested a thousand deep
        found += [(PAIR, 0), *_walk(part)]
    return found + _walk(parts[-1])


def _expect(words: Any, at: int, expected: list[int], where: str) -> int:
    """Read what must stand there; gives the next place."""
    found = words[at : at + len(expected)].tolist()
    if found != expected:
        raise CheckpointError(f"{where}: the moments' tree has {found} at cell {at}, the model needs {expected}")
    return at + len(expected)


def _words(x: Any) -> Any:
    """The words of a buffer: two bfloat16 each, the last half empty where their number is odd; or float32 bits."""
    if x.dtype == np.uint16:
        padded = np.zeros(x.size + x.size % 2, np.uint16)
        padded[: x.size] = x
        return padded[0::2].astype(np.uint32) | (padded[1::2].astype(np.uint32) << np.uint32(16))
    return x.view(np.uint32)


def _numbers(words: Any, dtype: Any) -> Any:
    """`_words`' inverse."""
    if dtype == np.uint16:
        halves = np.empty(2 * words.size, np.uint16)
        halves[0::2], halves[1::2] = words & np.uint32(0xFFFF), words >> np.uint32(16)
        return halves
    return words.view(np.float32)
