"""Attention, given projections, lengths or gradients that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import Attention, Dim, Fork, Id, Layer, LinearNB, Mat, PaddedAttention, ids, mat
from bendtorch.shapes.dims import HD, KV, B, D, G, N, T

Fork(LinearNB(16, 64, 96), Fork(LinearNB(16, 64, 96), LinearNB(16, 64, 96))) >> Attention(2, 8, 2, 3, 16)  # E: >>: Fork gives tuple[Mat[16, 96], tuple[Mat[16, 96], Mat[16, 96]]], Attention takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [bend-shape]
Fork(LinearNB(16, 64, 32), Fork(LinearNB(16, 64, 32), LinearNB(16, 64, 96))) >> Attention(2, 8, 2, 3, 16)  # E: >>: Fork gives tuple[Mat[16, 32], tuple[Mat[16, 32], Mat[16, 96]]], Attention takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [bend-shape]
Fork(LinearNB(15, 64, 96), Fork(LinearNB(15, 64, 32), LinearNB(15, 64, 32))) >> Attention(2, 8, 2, 3, 16)  # E: >>: Fork gives tuple[Mat[15, 96], tuple[Mat[15, 32], Mat[15, 32]]], Attention takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [bend-shape]
Fork(Fork(LinearNB(16, 64, 96), LinearNB(16, 64, 32)), LinearNB(16, 64, 32)) >> Attention(2, 8, 2, 3, 16)  # E: >>: Fork gives tuple[tuple[Mat[16, 96], Mat[16, 32]], Mat[16, 32]], Attention takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [bend-shape]
LinearNB(16, 64, 96) >> Attention(2, 8, 2, 3, 16)  # E: >>: LinearNB gives Mat[16, 96], Attention takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [bend-shape]
Attention(2, 8, 2, 3, 16) >> LinearNB(16, 64, 64)  # E: >>: Attention gives Mat[16, 96], LinearNB takes Mat[16, 64]  [bend-shape]
Attention(2, 8, 2, 3)  # E: Missing positional argument "hd" in call to "Attention"  [call-arg]
Attention(2, 8, 2, 3, 16, scale="1")  # E: Argument "scale" to "Attention" has incompatible type "str"; expected "float | None"  [arg-type]
Attention(2, 8, 2, 3, 16, causal=None)  # E: Argument "causal" to "Attention" has incompatible type "None"; expected "bool"  [arg-type]


def heads(b: Dim[B], t: Dim[T], d: Dim[D], kv: Dim[KV], g: Dim[G], hd: Dim[HD]) -> None:
    n = b * t
    three = Fork(LinearNB(n, d, kv * g * hd), Fork(LinearNB(n, d, kv * hd), LinearNB(n, d, kv * hd)))
    three >> Attention(b, t, g, kv, hd)  # E: >>: three gives tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, HD*KV], Mat[B*T, HD*KV]]], Attention takes tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, G*HD], Mat[B*T, G*HD]]]  [bend-shape]
    three >> Attention(b, t, kv, hd, g)  # E: >>: three gives tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, HD*KV], Mat[B*T, HD*KV]]], Attention takes tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, G*KV], Mat[B*T, G*KV]]]  [bend-shape]
    three >> Attention(n, t, kv, g, hd)  # E: >>: three gives tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, HD*KV], Mat[B*T, HD*KV]]], Attention takes tuple[Mat[B*T*T, G*HD*KV], tuple[Mat[B*T*T, HD*KV], Mat[B*T*T, HD*KV]]]  [bend-shape]
    three >> Attention(b, t, kv, g, hd) >> LinearNB(n, d, d)  # E: >>: Attention gives Mat[B*T, G*HD*KV], LinearNB takes Mat[B*T, D]  [bend-shape]
    three >> Attention(b, t, kv, g, d // (kv * g))  # E: >>: three gives tuple[Mat[B*T, G*HD*KV], tuple[Mat[B*T, HD*KV], Mat[B*T, HD*KV]]], Attention takes tuple[Mat[B*T, (D//(G*KV))*G*KV], tuple[Mat[B*T, (D//(G*KV))*KV], Mat[B*T, (D//(G*KV))*KV]]]  [bend-shape]


def swapped(n: Dim[N], hd: Dim[HD]) -> Layer[Any, Mat[N, HD], Mat[N, "2*HD"], Any]:
    return Fork(LinearNB(n, hd, hd), Fork(Id(n, hd), Id(n, hd))) >> Attention(1, n, 1, 2, hd)  # E: >>: Fork gives tuple[Mat[N, HD], tuple[Mat[N, HD], Mat[N, HD]]], Attention takes tuple[Mat[N, 2*HD], tuple[Mat[N, HD], Mat[N, HD]]]  [bend-shape]


def passes(x: tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], dy: Mat[16, 32]) -> None:
    layer = Attention(2, 8, 2, 3, 16)
    layer.fwd((), (x[1][0], (x[0], x[0])))  # E: Layer.fwd: "x" is tuple[Mat[16, 32], tuple[Mat[16, 96], Mat[16, 96]]], the layer takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [arg-type]
    layer.fwd((), x[0])  # E: Layer.fwd: "x" is Mat[16, 96], the layer takes tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]]  [arg-type]
    layer.bwd((), x, dy, ())  # E: Layer.bwd: "dy" is Mat[16, 32], the layer gives Mat[16, 96]  [arg-type]
    padded = PaddedAttention(2, 8, 2, 3, 16)
    padded.fwd((), x)  # E: Layer.fwd: "x" is tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], the layer takes tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[2]]  [arg-type]
    padded.fwd((), (x, ids(8, np.zeros(8, np.int64))))  # E: Layer.fwd: "x" is tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[8]], the layer takes tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[2]]  [arg-type]
    padded.fwd((), (x, ids(16, np.zeros(16, np.int64))))  # E: Layer.fwd: "x" is tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[16]], the layer takes tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[2]]  [arg-type]
    padded.fwd((), (x, mat(2, 1, np.zeros((2, 1), np.float32))))  # E: Layer.fwd: "x" is tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Mat[2, 1]], the layer takes tuple[tuple[Mat[16, 96], tuple[Mat[16, 32], Mat[16, 32]]], Ids[2]]  [arg-type]
