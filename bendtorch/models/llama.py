"""Llama: a decoder of transformer blocks (Touvron et al., 2023), declared from layers, every size in its type.

    ids: b·t tokens, b sequences of t      logits: (b·t) × v

Each of `depth` blocks adds to its input what attention makes of it, then what a gated feed-forward layer makes of that:

    x + Attention(RoPE(q), RoPE(k), v)·W      with q, k, v = RMSNorm(x)·Wq, ·Wk, ·Wv
    x + (SiLU(h·W1) · h·W3)·W2                with h = RMSNorm(x)

There are kv key heads of 2·half numbers, and g query heads for each. The table of tokens is also the output's weight
(`Llama`), or that is a weight of its own (`LlamaUntied`).
"""

from __future__ import annotations

from typing import Any, Final

from bendtorch.combine import Both, Fork, Id, Mul2, Repeat, Residual, Tie
from bendtorch.layer import Layer
from bendtorch.layers import Attention, Dropout, Embedding, LinearNB, RMSNorm, RoPE, SiLU
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import HALF, KV, B, D, Dim, F, G, N, T, V

EPS: Final = 1e-5
BASE: Final = 10000.0


def attention(
    b: Dim[B], t: Dim[T], d: Dim[D], kv: Dim[KV], g: Dim[G], half: Dim[HALF], *, eps: float = EPS, base: float = BASE
) -> Layer[Any, Mat["B*T", D], Mat["B*T", D], Any]:
    """What attention adds to its input."""
    n, hd = b * t, 2 * half
    width, narrow = kv * g * hd, kv * hd
    return (
        RMSNorm(n, d, eps=eps)
        >> Fork(LinearNB(n, d, width), Fork(LinearNB(n, d, narrow), LinearNB(n, d, narrow)))
        >> Both(RoPE(n, t, kv * g, half, base=base), Both(RoPE(n, t, kv, half, base=base), Id(n, narrow)))
        >> Attention(b, t, kv, g, hd)
        >> LinearNB(n, width, d)
    )


def feed_forward(n: Dim[N], d: Dim[D], f: Dim[F], *, eps: float = EPS) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    """What the gated layer of width f (SwiGLU) adds to its input."""
    return (
        RMSNorm(n, d, eps=eps)
        >> Fork(LinearNB(n, d, f) >> SiLU(n, f), LinearNB(n, d, f))
        >> Mul2(n, f)
        >> LinearNB(n, f, d)
    )


def blocks(
    b: Dim[B],
    t: Dim[T],
    d: Dim[D],
    kv: Dim[KV],
    g: Dim[G],
    half: Dim[HALF],
    f: Dim[F],
    depth: int,
    *,
    eps: float = EPS,
    base: float = BASE,
    dropout: float = 0.0,
) -> Layer[Any, Mat["B*T", D], Mat["B*T", D], Any]:
    """Everything between the tokens' vectors and the output's weight."""
    n = b * t
    first = _dropped(attention(b, t, d, kv, g, half, eps=eps, base=base), n, d, dropout, 1)
    second = _dropped(feed_forward(n, d, f, eps=eps), n, d, dropout, 2)
    return Repeat(depth, Residual(first) >> Residual(second)) >> RMSNorm(n, d, eps=eps)


def _dropped(
    layer: Layer[Any, Mat[N, D], Mat[N, D], Any], n: Dim[N], d: Dim[D], p: float, seed: int
) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
    return layer >> Dropout(n, d, p, seed) if p > 0 else layer


def Llama(
    b: Dim[B],
    t: Dim[T],
    v: Dim[V],
    d: Dim[D],
    kv: Dim[KV],
    g: Dim[G],
    half: Dim[HALF],
    f: Dim[F],
    depth: int,
    *,
    eps: float = EPS,
    base: float = BASE,
    dropout: float = 0.0,
) -> Layer[Any, Ids["B*T"], Mat["B*T", V], Any]:
    """A model whose table of tokens is also its output's weight. Dropout, where there is any, is in each block."""
    body = blocks(b, t, d, kv, g, half, f, depth, eps=eps, base=base, dropout=dropout)
    return Tie(Embedding(b * t, v, d), body, LinearNB(b * t, d, v))


def LlamaUntied(
    b: Dim[B],
    t: Dim[T],
    v: Dim[V],
    d: Dim[D],
    kv: Dim[KV],
    g: Dim[G],
    half: Dim[HALF],
    f: Dim[F],
    depth: int,
    *,
    eps: float = EPS,
    base: float = BASE,
    dropout: float = 0.0,
) -> Layer[Any, Ids["B*T"], Mat["B*T", V], Any]:
    """The same with a weight of its own for the output."""
    body = blocks(b, t, d, kv, g, half, f, depth, eps=eps, base=base, dropout=dropout)
    return Embedding(b * t, v, d) >> body >> LinearNB(b * t, d, v)
