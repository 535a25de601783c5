"""Layers and losses on tokens that do not fit."""

from __future__ import annotations

from bendtorch import MSE, NLL, CrossEntropy, Embedding, Linear, LinearNB, RoPE, Tie, ids, mat

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
