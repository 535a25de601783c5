"""Layers that do not meet."""

from __future__ import annotations

from typing import Any, Final

from bendtorch import Dim, Layer, Linear, LinearNB, Mat, ReLU, Seq
from bendtorch.shapes.dims import D, HD, N, T
from support.sketches import Attention, Both, Embedding, Fork, Residual, RMSNorm, RoPE, Tie, Unembed

BATCH: Final = 64

# ---- Seq
Seq(Linear(64, 784, 128), Linear(64, 256, 10))  # E
Seq(Linear(BATCH, 784, 128), ReLU(BATCH, 129), Linear(BATCH, 129, 10))  # E
Seq(Linear(BATCH, 784, 128), ReLU(BATCH, 128), Linear(BATCH, 127, 10))  # E
Seq(Linear(64, 784, 128), Linear(32, 128, 10))  # E
Seq(Linear(64, 1, 2), Linear(64, 2, 3), Linear(64, 3, 4), Linear(64, 5, 6))  # E
Seq(ReLU(2, 3), ReLU(2, 3), ReLU(2, 3), ReLU(2, 3), ReLU(2, 4))  # E
Seq(
    Linear(64, 10, 20),
    Linear(64, 20, 30),
    Linear(64, 30, 40),
    Linear(64, 40, 50),
    Linear(64, 51, 60),  # E
    Linear(64, 60, 70),
)
Seq(ReLU(2, 3))  # E
Seq(ReLU(2, 3), 4)  # E

# ---- >>
Linear(BATCH, 784, 128) >> ReLU(BATCH, 128) >> Linear(BATCH, 64, 10)  # E
LinearNB(64, 64, 130) >> RoPE(64, 8, 4, 16)  # E
LinearNB(16, 64, 96) >> RoPE(24, 8, 6, 8)  # E
Attention(2, 8, 2, 3, 16) >> LinearNB(16, 64, 64)  # E
Linear(8, 4, 5) >> Linear(8, 6, 7)  # E
mlp = Linear(BATCH, 784, 128) >> Linear(BATCH, 128, 10)
mlp >> ReLU(BATCH, 128)  # E
mlp >> mlp  # E
(
    Linear(8, 4, 5)
    >> ReLU(8, 6)  # E
    >> Linear(8, 6, 7)
)
ReLU(8, 4) >> "ReLU"  # E

# ---- combinators of the user's own
Fork(Linear(64, 128, 8), Linear(64, 127, 8))  # E
Tie(Embedding(16, 1000, 64), Unembed(16, 999, 64))  # E
Residual(RMSNorm(64, 64) >> LinearNB(64, 64, 65))  # E
Both(Linear(3, 4, 5), ReLU(3, 6)) >> ReLU(3, 5)  # E


# ---- sizes as parameters
def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Seq(Linear(n, d, 4 * d), Linear(n, 3 * d, d))  # E


def swapped(n: Dim[N], d: Dim[D]) -> object:
    return Linear(d, n, 7) >> ReLU(n, 7)  # E


def unrelated(n: Dim[N], w: Dim[D], t: Dim[T], hd: Dim[HD]) -> object:
    return LinearNB(n, 64, w) >> RoPE(n, t, 2, hd)  # E


def heads(n: Dim[N], d: Dim[D], t: Dim[T]) -> object:
    return LinearNB(n, d, d) >> RoPE(n, t, 4, d // 8)  # E


def mixed(n: Dim[N], model: Layer[Any, Mat[N, 5], Mat[N, 6], Any]) -> Layer[Any, Mat[N, 5], Mat[N, 7], Any]:
    return model >> ReLU(n, 7)  # E
