"""Layers that do not meet."""

from __future__ import annotations

from typing import Any, Final

from support.sketches import Both, Embedding, Fork, Residual, RMSNorm, RoPE, Tie, Unembed

from bendtorch import Attention, Dim, Layer, Linear, LinearNB, Mat, ReLU, Seq
from bendtorch.shapes.dims import HD, D, N, T

BATCH: Final = 64

# ---- Seq
Seq(Linear(64, 784, 128), Linear(64, 256, 10))  # E: Seq: the first layer gives Mat[64, 128], the second takes Mat[64, 256]  [bend-shape]
Seq(Linear(BATCH, 784, 128), ReLU(BATCH, 129), Linear(BATCH, 129, 10))  # E: Seq: the first layer gives Mat[64, 128], the second takes Mat[64, 129]  [bend-shape]
Seq(Linear(BATCH, 784, 128), ReLU(BATCH, 128), Linear(BATCH, 127, 10))  # E: Seq: the second layer gives Mat[64, 128], the third takes Mat[64, 127]  [bend-shape]
Seq(Linear(64, 784, 128), Linear(32, 128, 10))  # E: Seq: the first layer gives Mat[64, 128], the second takes Mat[32, 128]  [bend-shape]
Seq(Linear(64, 1, 2), Linear(64, 2, 3), Linear(64, 3, 4), Linear(64, 5, 6))  # E: Seq: the third layer gives Mat[64, 4], the fourth takes Mat[64, 5]  [bend-shape]
Seq(ReLU(2, 3), ReLU(2, 3), ReLU(2, 3), ReLU(2, 3), ReLU(2, 4))  # E: Seq: the fourth layer gives Mat[2, 3], the fifth takes Mat[2, 4]  [bend-shape]
Seq(
    Linear(64, 10, 20),
    Linear(64, 20, 30),
    Linear(64, 30, 40),
    Linear(64, 40, 50),
    Linear(64, 51, 60),  # E: Seq: the fourth layer gives Mat[64, 50], the fifth takes Mat[64, 51]  [bend-shape]
    Linear(64, 60, 70),
)
Seq(ReLU(2, 3))  # E: Seq: takes two or more layers, given Layer[Unit, Mat[2, 3], Mat[2, 3], Mat[2, 3]]  [call-overload]
Seq(ReLU(2, 3), 4)  # E: Seq: the second layer is int; give a layer  [call-overload]

# ---- >>
Linear(BATCH, 784, 128) >> ReLU(BATCH, 128) >> Linear(BATCH, 64, 10)  # E: >>: ReLU gives Mat[64, 128], Linear takes Mat[64, 64]  [bend-shape]
LinearNB(64, 64, 130) >> RoPE(64, 8, 4, 16)  # E: >>: LinearNB gives Mat[64, 130], RoPE takes Mat[64, 128] (2*h*half = 2*4*16)  [bend-shape]
LinearNB(16, 64, 96) >> RoPE(24, 8, 6, 8)  # E: >>: LinearNB gives Mat[16, 96], RoPE takes Mat[24, 96]  [bend-shape]
Attention(2, 8, 2, 3, 16) >> LinearNB(16, 64, 64)  # E: >>: Attention gives Mat[16, 96], LinearNB takes Mat[16, 64]  [bend-shape]
Linear(8, 4, 5) >> Linear(8, 6, 7)  # E: >>: the left Linear gives Mat[8, 5], the right Linear takes Mat[8, 6]  [bend-shape]
mlp = Linear(BATCH, 784, 128) >> Linear(BATCH, 128, 10)
mlp >> ReLU(BATCH, 128)  # E: >>: mlp gives Mat[64, 10], ReLU takes Mat[64, 128]  [bend-shape]
mlp >> mlp  # E: >>: the left mlp gives Mat[64, 10], the right mlp takes Mat[64, 784]  [bend-shape]
(
    Linear(8, 4, 5)
    >> ReLU(8, 6)  # E: >>: Linear gives Mat[8, 5], ReLU takes Mat[8, 6]  [bend-shape]
    >> Linear(8, 6, 7)
)
ReLU(8, 4) >> "ReLU"  # E: >>: the right side is str; give a layer  [operator]

# ---- a layer that fits neither neighbour is one mistake
Linear(8, 4, 5) >> ReLU(8, 6) >> Linear(8, 5, 7)  # E: >>: ReLU takes and gives Mat[8, 6], but Linear before it gives Mat[8, 5] and Linear behind it takes Mat[8, 5]  [bend-shape]
Linear(8, 4, 5) >> LinearNB(8, 6, 7) >> Linear(8, 8, 9)  # E: >>: LinearNB takes Mat[8, 6] and gives Mat[8, 7], but Linear before it gives Mat[8, 5] and Linear behind it takes Mat[8, 8]  [bend-shape]
(
    Linear(8, 4, 5)
    >> ReLU(8, 6)  # E: >>: ReLU takes and gives Mat[8, 6], but Linear before it gives Mat[8, 5] and Linear behind it takes Mat[8, 5]  [bend-shape]
    >> Linear(8, 5, 7)
    >> ReLU(8, 8)  # E: >>: Linear gives Mat[8, 7], ReLU takes Mat[8, 8]  [bend-shape]
)
ReLU(8, 4) >> (ReLU(8, 5) >> ReLU(8, 5)) >> ReLU(8, 4)  # E: >>: the middle layer takes and gives Mat[8, 5], but ReLU before it gives Mat[8, 4] and ReLU behind it takes Mat[8, 4]  [bend-shape]
ReLU(8, 1) >> ReLU(8, 2) >> ReLU(8, 3) >> ReLU(8, 4)  # E: >>: ReLU takes and gives Mat[8, 2], but ReLU before it gives Mat[8, 1] and ReLU behind it takes Mat[8, 3]  [bend-shape] # E: >>: the left ReLU gives Mat[8, 3], the right ReLU takes Mat[8, 4]  [bend-shape]
Linear(8, 4, 5) >> ReLU(8, 6) >> ReLU(8, 6) >> Linear(8, 5, 7)  # E: >>: Linear gives Mat[8, 5], ReLU takes Mat[8, 6]  [bend-shape] # E: >>: ReLU gives Mat[8, 6], Linear takes Mat[8, 5]  [bend-shape]
Seq(Linear(8, 4, 5), ReLU(8, 6), Linear(8, 5, 7))  # E: Seq: the second layer takes and gives Mat[8, 6], but the first gives Mat[8, 5] and the third takes Mat[8, 5]  [bend-shape]
Seq(ReLU(8, 1), ReLU(8, 2), ReLU(8, 3), ReLU(8, 4))  # E: Seq: the second layer takes and gives Mat[8, 2], but the first gives Mat[8, 1] and the third takes Mat[8, 3]  [bend-shape] # E: Seq: the third layer gives Mat[8, 3], the fourth takes Mat[8, 4]  [bend-shape]
Seq(Linear(8, 4, 5), ReLU(8, 6), Linear(8, 5, 7), ReLU(8, 7), ReLU(8, 8))  # E: Seq: the fourth layer gives Mat[8, 7], the fifth takes Mat[8, 8]  [bend-shape] # E: Seq: the second layer takes and gives Mat[8, 6], but the first gives Mat[8, 5] and the third takes Mat[8, 5]  [bend-shape]
Residual(Linear(8, 4, 5) >> ReLU(8, 6) >> Linear(8, 5, 7))  # E: >>: ReLU takes and gives Mat[8, 6], but Linear before it gives Mat[8, 5] and Linear behind it takes Mat[8, 5]  [bend-shape] # E: Residual: the layer takes Mat[8, 4], gives Mat[8, 7]; a residual layer must keep its shape  [bend-shape]

# ---- combinators of the user's own
Fork(Linear(64, 128, 8), Linear(64, 127, 8))  # E: Fork: the first layer takes Mat[64, 128], the second takes Mat[64, 127]; both must take the same input  [bend-shape]
Tie(Embedding(16, 1000, 64), Unembed(16, 999, 64))  # E: Tie: the first layer has parameters Weight[1000, 64], the second has parameters Weight[999, 64]; tied layers share one set of parameters  [bend-shape]
Residual(RMSNorm(64, 64) >> LinearNB(64, 64, 65))  # E: Residual: the layer takes Mat[64, 64], gives Mat[64, 65]; a residual layer must keep its shape  [bend-shape]
Both(Linear(3, 4, 5), ReLU(3, 6)) >> ReLU(3, 5)  # E: >>: Both gives tuple[Mat[3, 5], Mat[3, 6]], ReLU takes Mat[3, 5]  [bend-shape]


# ---- sizes as parameters
def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Seq(Linear(n, d, 4 * d), Linear(n, 3 * d, d))  # E: Seq: the first layer gives Mat[N, 4*D], the second takes Mat[N, 3*D]  [bend-shape]


def swapped(n: Dim[N], d: Dim[D]) -> object:
    return Linear(d, n, 7) >> ReLU(n, 7)  # E: >>: Linear gives Mat[D, 7], ReLU takes Mat[N, 7]  [bend-shape]


def unrelated(n: Dim[N], w: Dim[D], hd: Dim[HD]) -> object:
    return LinearNB(n, 64, w) >> RoPE(n, n, 2, hd)  # E: >>: LinearNB gives Mat[N, D], RoPE takes Mat[N, 4*HD] (2*h*half = 2*2*HD)  [bend-shape]


def heads(n: Dim[N], d: Dim[D]) -> object:
    return LinearNB(n, d, d) >> RoPE(n, 1, 4, d // 8)  # E: >>: LinearNB gives Mat[N, D], RoPE takes Mat[N, 8*(D//8)] (2*h*half = 2*4*(D//8))  [bend-shape]


def mixed(n: Dim[N], model: Layer[Any, Mat[N, 5], Mat[N, 6], Any]) -> Layer[Any, Mat[N, 5], Mat[N, 7], Any]:
    return model >> ReLU(n, 7)  # E: >>: model gives Mat[N, 6], ReLU takes Mat[N, 7]  [bend-shape]
