"""A transformer block, with numbers and with parameters as sizes."""

from __future__ import annotations

from typing import Any, Final

from support.sketches import (
    Both,
    Embedding,
    Fork,
    Glu,
    Id,
    Residual,
    RMSNorm,
    RoPE,
    Tie,
    TieAround,
    Unembed,
    Weight,
)
from typing_extensions import assert_type

from bendtorch import Attention, Dim, Ids, Layer, LinearNB, Mat
from bendtorch.shapes.dims import HALF, KV, B, D, G, N, T

B_: Final = 2
T_: Final = 8
N_: Final = B_ * T_
DIM: Final = 64
KV_: Final = 2
G_: Final = 2
HALF_: Final = 8
HD_: Final = 2 * HALF_
QW: Final = KV_ * G_ * HD_
KVW: Final = KV_ * HD_
FF: Final = 4 * DIM
VOCAB: Final = 1000

attention = (
    RMSNorm(N_, DIM)
    >> Fork(LinearNB(N_, DIM, QW), Fork(LinearNB(N_, DIM, KVW), LinearNB(N_, DIM, KVW)))
    >> Both(RoPE(N_, T_, KV_ * G_, HALF_), Both(RoPE(N_, T_, KV_, HALF_), Id(N_, KVW)))
    >> Attention(B_, T_, KV_, G_, HD_)
    >> LinearNB(N_, QW, DIM)
)
feed_forward = (
    RMSNorm(N_, DIM) >> Fork(LinearNB(N_, DIM, FF), LinearNB(N_, DIM, FF)) >> Glu(N_, FF) >> LinearNB(N_, FF, DIM)
)
block = Residual(attention) >> Residual(feed_forward)
model = TieAround(Embedding(N_, VOCAB, DIM), block >> block >> RMSNorm(N_, DIM), Unembed(N_, VOCAB, DIM))
tied = Tie(Embedding(N_, VOCAB, DIM), Unembed(N_, VOCAB, DIM))
assert_type(tied, Layer[Weight[1000, 64], Ids[16], Mat[16, 1000], tuple[Ids[16], Mat[16, 64]]])


def attention_of(
    b: Dim[B], t: Dim[T], d: Dim[D], kv: Dim[KV], g: Dim[G], half: Dim[HALF]
) -> Layer[Any, Mat["B*T", D], Mat["B*T", D], Any]:
    n = b * t
    hd = 2 * half
    w, kvw = kv * g * hd, kv * hd
    return Residual(
        RMSNorm(n, d)
        >> Fork(LinearNB(n, d, w), Fork(LinearNB(n, d, kvw), LinearNB(n, d, kvw)))
        >> Both(RoPE(n, t, kv * g, half), Both(RoPE(n, t, kv, half, base=500000.0), Id(n, kvw)))
        >> Attention(b, t, kv, g, hd)
        >> LinearNB(n, w, d)
    )


def feed_forward_of(n: Dim[N], d: Dim[D]) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    return Residual(
        RMSNorm(n, d) >> Fork(LinearNB(n, d, 4 * d), LinearNB(n, d, 4 * d)) >> Glu(n, 4 * d) >> LinearNB(n, 4 * d, d)
    )


whole = attention_of(B_, T_, DIM, KV_, G_, HALF_) >> feed_forward_of(N_, DIM)
assert_type(whole, Layer[tuple[Any, Any], Mat[16, 64], Mat[16, 64], tuple[Any, Any]])
