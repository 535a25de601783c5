"""A small language model put together from the library's layers: what tests of whole runs train."""

from __future__ import annotations

from typing import Any, Final

from bendtorch import (
    GELU,
    Attention,
    Both,
    CrossEntropy,
    Dropout,
    Embedding,
    Fork,
    Id,
    Linear,
    LinearNB,
    Mul2,
    Repeat,
    Residual,
    RMSNorm,
    RoPE,
    SiLU,
    Tie,
)

VOCABULARY: Final = 11
POSITIONS: Final = 4  # of a sequence
KV, GROUP, HALF = 1, 2, 2  # key heads, query heads each, pairs of numbers in a head
WIDTH: Final = KV * GROUP * 2 * HALF
HIDDEN: Final = 12


def _any(layer: Any) -> Any:
    """A constructor whose sizes are computed: mypy does not follow them."""
    return layer


def self_attention(n: int) -> Any:
    """Queries, keys and values of n rows, rotated by their positions; heads; back to the rows."""
    narrow = 2 * KV * HALF
    project = Fork(
        _any(LinearNB)(n, WIDTH, WIDTH), Fork(_any(LinearNB)(n, WIDTH, narrow), _any(LinearNB)(n, WIDTH, narrow))
    )
    rotate = Both(
        _any(RoPE)(n, POSITIONS, KV * GROUP, HALF),
        Both(_any(RoPE)(n, POSITIONS, KV, HALF), _any(Id)(n, narrow)),
    )
    attend = _any(Attention)(n // POSITIONS, POSITIONS, KV, GROUP, 2 * HALF)
    return _any(project) >> rotate >> attend >> _any(LinearNB)(n, WIDTH, WIDTH) >> _any(Dropout)(n, WIDTH, 0.2, 1)


def feed_forward(n: int) -> Any:
    """SwiGLU, and GELU of a second layer with biases."""
    gate = _any(LinearNB)(n, WIDTH, HIDDEN) >> _any(SiLU)(n, HIDDEN)
    gated = _any(Fork(gate, _any(LinearNB)(n, WIDTH, HIDDEN))) >> _any(Mul2)(n, HIDDEN)
    wide = gated >> _any(Linear)(n, HIDDEN, HIDDEN) >> _any(GELU)(n, HIDDEN)
    return wide >> _any(Linear)(n, HIDDEN, WIDTH) >> _any(Dropout)(n, WIDTH, 0.1, 2)


def transformer(n: int) -> Any:
    """Two blocks between tied embeddings, on n tokens: sequences of `POSITIONS`, one after another."""
    block = Residual(_any(RMSNorm)(n, WIDTH) >> self_attention(n)) >> Residual(
        _any(RMSNorm)(n, WIDTH) >> feed_forward(n)
    )
    middle = Repeat(2, block) >> _any(RMSNorm)(n, WIDTH)
    return Tie(_any(Embedding)(n, VOCABULARY, WIDTH), middle, _any(LinearNB)(n, WIDTH, VOCABULARY))


def next_token(n: int) -> Any:
    """Its loss."""
    return _any(CrossEntropy)(n, VOCABULARY)
