"""Layers and losses on tokens that do not fit."""

from __future__ import annotations

from typing import Any

from bendtorch import MSE, NLL, CrossEntropy, Dim, Embedding, Ids, Layer, Linear, LinearNB, Loss, Mat, RoPE, Tie, Train
from bendtorch import fit, ids, mat, windows
from bendtorch.shapes.dims import B, N, T
from bendtorch.train.batches import Batches

tokens, scores = ids(16, []), mat(16, 50, [])

Embedding(16, 50, 64) >> Linear(16, 63, 50)  # E: >>: Embedding gives Mat[16, 64], Linear takes Mat[16, 63]  [bend-shape]
Embedding(16, 50, 64) >> RoPE(16, 8, 4, 16)  # E: >>: Embedding gives Mat[16, 64], RoPE takes Mat[16, 128] (2*h*half = 2*4*16)  [bend-shape]
Linear(16, 50, 64) >> Embedding(16, 64, 8)  # E: >>: Linear gives Mat[16, 64], Embedding takes Ids[16]  [bend-shape]
Tie(Embedding(16, 1000, 64), RoPE(16, 8, 4, 8), LinearNB(16, 64, 999))  # E: Tie: the first layer has parameters Mat[1000, 64], the third has parameters Mat[999, 64]; tied layers share one set of parameters  [bend-shape]
Embedding(16, 50, 64).fwd(mat(50, 64, []), scores)  # E: Layer.fwd: "x" is Mat[16, 50], the layer takes Ids[16]  [arg-type]
Embedding(16, 50, 64).fwd(mat(64, 50, []), tokens)  # E: Layer.fwd: "p" is Mat[64, 50], expected Mat[50, 64]; turn it round with .T  [arg-type]
Embedding(16, 50, 64, padding_id="0")  # E: Argument "padding_id" to "Embedding" has incompatible type "str"; expected "int | None"  [arg-type]
RoPE(16, 8, 4, 8).fwd((), scores)  # E: Layer.fwd: "x" is Mat[16, 50], the layer takes Mat[16, 64]  [arg-type]
RoPE(16, 8, 4, 8, interleaved=1)  # E: Argument "interleaved" to "RoPE" has incompatible type "int"; expected "bool"  [arg-type]
CrossEntropy(16, 50)(scores, scores)  # E: Loss: "target" is Mat[16, 50], the loss takes Ids[16]  [arg-type]
CrossEntropy(16, 50, label_smoothing="0.1")  # E: Argument "label_smoothing" to "CrossEntropy" has incompatible type "str"; expected "float"  [arg-type]
NLL(16, 50)(scores, ids(15, []))  # E: Loss: "target" is Ids[15], the loss takes Ids[16]  [arg-type]
MSE(16, 50)(scores, tokens)  # E: Loss: "target" is Ids[16], the loss takes Mat[16, 50]  [arg-type]
MSE(16, 50)(scores, mat(16, 51, []))  # E: Loss: "target" is Mat[16, 51], the loss takes Mat[16, 50]  [arg-type]


def model(b: Dim[B]) -> Layer[Any, Ids["32*B"], Mat["32*B", 50], Any]:
    return Embedding(b * 32, 50, 8) >> Linear(b * 32, 8, 50)


def loss(b: Dim[B]) -> Loss[Mat["32*B", 50], Ids["32*B"]]:
    return CrossEntropy(b * 32, 50)


def shorter(b: Dim[B]) -> Loss[Mat["31*B", 50], Ids["31*B"]]:
    return CrossEntropy(b * 31, 50)


def of_texts(train: Train[Any], text: Ids[N], t: Dim[T]) -> Batches[Ids["int*T"], Ids["int*T"]]:
    fit(train, model, loss, windows(text, 31, 8), 3)  # E: fit: the model takes Ids[32*int], "data" is Batches[Ids[31*int], Ids[31*int]]  [bend-shape]
    fit(train, model, shorter, windows(text, 32, 8), 3)  # E: fit: the model gives Mat[32*int, 50], "loss" gives Loss[Mat[31*int, 50], Ids[31*int]]  [bend-shape] # E: fit: "loss" gives Loss[Mat[31*int, 50], Ids[31*int]], "data" is Batches[Ids[32*int], Ids[32*int]]  [bend-shape]
    fit(train, lambda b: model(8), loss, windows(text, 32, 8), 3)  # E: fit: the model gives Mat[256, 50], "loss" gives Loss[Mat[32*int, 50], Ids[32*int]]  [bend-shape] # E: fit: the model takes Ids[256], "data" is Batches[Ids[32*int], Ids[32*int]]  [bend-shape]
    for batch in windows(text, 32, 8).epoch(0):
        b = batch.n
        train.step(model(b), loss(b), batch.x, ids(b * 32, batch.target))  # E: Train.step: the model takes Ids[32*batch.n], "x" is Ids[32*int]  [bend-shape]
    windows(text, len([8]), 8)  # E: windows: dimension "t" is not static; bind it to a name first, as in "t = ..."  [bend-dim]
    windows(mat(8, 3, []), 8, 2)  # E: windows: "text" is Mat[8, 3], expected Ids[_]  [arg-type]
    return windows(text, 2 * t, 8)  # E: the returned value is Batches[Ids[2*T*int], Ids[2*T*int]], declared Batches[Ids[T*int], Ids[T*int]]  [return-value]


def of_two(train: Train[Any], text: Ids[N], sizes: list[int]) -> None:
    for t in sizes:
        data = windows(text, t, 8)
    other = sizes[0]
    fit(train, lambda b: model(b), loss, windows(text, other, 8), 3)  # E: fit: the model takes Ids[32*int], "data" is Batches[Ids[other*int], Ids[other*int]]  [bend-shape]
