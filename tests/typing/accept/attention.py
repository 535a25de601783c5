"""Attention with numbers and with parameters as sizes, in a block that is generic in every dimension."""

from __future__ import annotations

from typing import Any, Final

from typing_extensions import assert_type

from bendtorch import (
    Attention,
    Both,
    Dim,
    Fork,
    Id,
    Ids,
    Layer,
    Linear,
    LinearNB,
    Mat,
    PaddedAttention,
    ReLU,
    Repeat,
    Residual,
    Unit,
)
from bendtorch.shapes.dims import HD, KV, B, D, F, G, T

SEQUENCES: Final = 2
POSITIONS: Final = 8
ROWS: Final = SEQUENCES * POSITIONS

core = Attention(SEQUENCES, POSITIONS, 2, 3, 16)
assert_type(
    core,
    Layer[
        Unit,
        tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]],
        Mat[16, 96],
        tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]],
    ],
)
LinearNB(ROWS, 64, 96) >> Id(16, 96)
(
    Fork(LinearNB(ROWS, 64, 96), Fork(LinearNB(ROWS, 64, 32), LinearNB(16, 64, 32)))
    >> Attention(2, 8, 2, 3, 16, scale=0.5, causal=False)
    >> LinearNB(16, 96, 64)
)


def attended(
    b: Dim[B], t: Dim[T], d: Dim[D], kv: Dim[KV], g: Dim[G], hd: Dim[HD]
) -> Layer[Any, Mat["B*T", D], Mat["B*T", D], Any]:
    """Attention with its projections."""
    n = b * t
    width, narrow = kv * g * hd, kv * hd
    return Residual(
        Fork(LinearNB(n, d, width), Fork(LinearNB(n, d, narrow), LinearNB(n, d, narrow)))
        >> Both(Id(n, width), Both(Id(n, narrow), Id(n, narrow)))
        >> Attention(b, t, kv, g, hd)
        >> LinearNB(n, width, d)
    )


def block(
    b: Dim[B], t: Dim[T], d: Dim[D], f: Dim[F], kv: Dim[KV], g: Dim[G], hd: Dim[HD]
) -> Layer[Any, Mat["B*T", D], Mat["B*T", D], Any]:
    """A whole block of a transformer."""
    n = b * t
    return attended(b, t, d, kv, g, hd) >> Residual(Linear(n, d, f) >> ReLU(n, f) >> Linear(n, f, d))


def stack(b: Dim[B], t: Dim[T], d: Dim[D]) -> Layer[Any, Mat["B*T", D], Mat["B*T", "2*D"], Any]:
    """Blocks of heads that make up the width only in part, then a wider end."""
    return Repeat(3, block(b, t, d, 4 * d, 2, 3, 5)) >> LinearNB(b * t, d, 2 * d)


assert_type(stack(2, 8, 30), Layer[Any, Mat[16, 30], Mat[16, 60], Any])
assert_type(block(2, 8, 64, 256, 2, 2, 16), Layer[Any, Mat[16, 64], Mat[16, 64], Any])


def one_head_for_all(
    b: Dim[B], t: Dim[T], g: Dim[G], hd: Dim[HD]
) -> Layer[Unit, tuple[Mat["B*T", "G*HD"], tuple[Mat["B*T", HD], Mat["B*T", HD]]], Mat["B*T", "G*HD"], Any]:
    return Attention(b, t, 1, g, hd)


def padded(
    x: tuple[tuple[Mat["B*T", "KV*G*HD"], tuple[Mat["B*T", "KV*HD"], Mat["B*T", "KV*HD"]]], Ids[B]],
    b: Dim[B],
    t: Dim[T],
    kv: Dim[KV],
    g: Dim[G],
    hd: Dim[HD],
) -> Mat["B*T", "KV*G*HD"]:
    """The lengths are one for each sequence."""
    layer = PaddedAttention(b, t, kv, g, hd)
    forward = layer.fwd((), x)
    (dq, (dk, dv)), lengths = layer.bwd((), forward.s, forward.y, ()).dx
    assert_type(dq, Mat["B*T", "KV*G*HD"])
    assert_type(dk, Mat["B*T", "KV*HD"])
    assert_type(dv, Mat["B*T", "KV*HD"])
    assert_type(lengths, Ids[B])
    return forward.y
