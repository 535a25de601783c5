"""Models of tokens: ids in, positions by rotation, losses with options."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import assert_type

from bendtorch import (
    MSE,
    NLL,
    Adam,
    CrossEntropy,
    Dim,
    Embedding,
    Ids,
    Key,
    Layer,
    Linear,
    LinearNB,
    Loss,
    Mat,
    RoPE,
    Tie,
    Train,
    Unit,
    batches,
    evaluate,
    fit,
    ids,
    mat,
    windows,
)
from bendtorch.shapes.dims import HALF, B, D, H, N, T, V
from bendtorch.train.batches import Batches

assert_type(Embedding(16, 1000, 64), Layer[Mat[1000, 64], Ids[16], Mat[16, 64], Ids[16]])
assert_type(Embedding(16, d=64, v=1000, padding_id=0).zeros(), Mat[1000, 64])
assert_type(RoPE(16, 8, 4, 8), Layer[Unit, Mat[16, 64], Mat[16, 64], Unit])
assert_type(RoPE(16, 8, 4, 8, base=5e5, offset=3, interleaved=True).fwd((), mat(16, 64, [])).y, Mat[16, 64])
assert_type(CrossEntropy(16, 9, ignore_index=-100, weight=[1.0] * 9, label_smoothing=0.1), Loss[Mat[16, 9], Ids[16]])
assert_type(NLL(16, 3, weight=np.ones(3, np.float32)), Loss[Mat[16, 3], Ids[16]])
assert_type(MSE(16, 3), Loss[Mat[16, 3], Mat[16, 3]])

tied = Tie(Embedding(16, 1000, 64), RoPE(16, 8, 4, 8), LinearNB(16, 64, 1000))
assert_type(tied.fwd(tied.zeros(), ids(16, [])).y, Mat[16, 1000])


def heads(
    b: Dim[B], t: Dim[T], h: Dim[H], half: Dim[HALF]
) -> Layer[Any, Mat["B*T", "2*H*HALF"], Mat["B*T", "H*HALF*2"], Any]:
    n, width = b * t, h * half * 2
    return LinearNB(n, width, width) >> RoPE(n, t, h, half)


def bigram(n: Dim[N], v: Dim[V], d: Dim[D]) -> Layer[Any, Ids[N], Mat[N, V], Any]:
    return Embedding(n, v, d) >> Linear(n, d, v)


def of_tokens(n: Dim[N]) -> Layer[Any, Ids[N], Mat[N, 50], Any]:
    return bigram(n, 50, 8)


def of_numbers(n: Dim[N]) -> Layer[Any, Ids[N], Mat[N, 8], Any]:
    return Embedding(n, 50, 8)


def next_token(n: Dim[N]) -> Loss[Mat[N, 50], Ids[N]]:
    return CrossEntropy(n, 50, ignore_index=-1)


def distance(n: Dim[N]) -> Loss[Mat[N, 8], Mat[N, 8]]:
    return MSE(n, 8)


tokens, numbers = ids(99, []), mat(99, 8, [])
assert_type(batches(tokens, tokens, 8), Batches[Ids[int], Ids[int]])
assert_type(batches(tokens, numbers, 8), Batches[Ids[int], Mat[int, 8]])
assert_type(batches(numbers, numbers, 8), Batches[Mat[int, 8], Mat[int, 8]])
train = Train.new(of_tokens(8), Adam(1e-3), of_tokens(8).init(Key(0)))
fit(train, of_tokens, next_token, batches(tokens, tokens, 8), 1)
fit(train, of_numbers, distance, batches(tokens, numbers, 8), 1)


def of_sequences(b: Dim[B], t: Dim[T], v: Dim[V]) -> Layer[Any, Ids["B*T"], Mat["B*T", V], Any]:
    return bigram(b * t, v, 8)


def of_windows(b: Dim[B]) -> Layer[Any, Ids["32*B"], Mat["B*32", 50], Any]:
    return of_sequences(b, 32, 50)


def each_token(b: Dim[B]) -> Loss[Mat["B*32", 50], Ids["32*B"]]:
    return next_token(b * 32)


# a text in windows: any number of sequences, each of t tokens
assert_type(windows(tokens, 32, 8, Key(0)), Batches[Ids["int*32"], Ids["32*int"]])
fit(train, of_windows, each_token, windows(tokens, 32, 8), steps=10)
evaluate(of_windows, each_token, windows(tokens, 32, 8), train.p)


def of_any_length(t: Dim[T], text: Ids[N], train: Train[Any]) -> Batches[Ids["int*T"], Ids["int*T"]]:
    data = windows(text, t, 8)
    fit(train, lambda b: of_sequences(b, t, 50), lambda b: CrossEntropy(b * t, 50), data, 3)
    for batch in data.epoch(0):
        b = batch.n
        train.step(of_sequences(b, t, 50), CrossEntropy(b * t, 50), ids(b * t, batch.x), ids(b * t, batch.target))
    return data


fit(train, of_windows, each_token, of_any_length(32, tokens, train), 1)
