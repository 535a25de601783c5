"""Sizes and orders of layers at their limits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch import (
    NLL,
    Conv2d,
    CrossEntropy,
    Dim,
    Dropout,
    Embedding,
    Fork,
    Ids,
    Layer,
    Linear,
    LinearFirst,
    Mat,
    MaxPool2d,
    Permute,
    ReLU,
    Repeat,
    Reshape,
    Seq,
    ids,
    mat,
)
from bendtorch.shapes.dims import D, N

ONE: Final = 1


def no_rows(d: Dim[D]) -> None:
    Linear(0, 3, 4) >> ReLU(ONE - 1, 4)
    Permute(0, 0, 4) >> Reshape(0, 4, 0, 5)
    CrossEntropy(0, 3)
    Linear(8, d - 1, 2 * d - d)


def copies(n: Dim[N], d: Dim[D], k: int) -> None:
    Repeat(ONE, ReLU(n, d))
    Repeat(k, ReLU(n, d))
    Repeat(k - 1, f=ReLU(n, d))


def blind(net: Layer[Any, Mat[8, 4], Mat[8, 4], Any]) -> None:
    first = LinearFirst(8, 4, 4)
    ReLU(8, 4) >> first >> Linear(8, 4, 4)
    Repeat(3, ReLU(8, 4)) >> ReLU(8, 4) >> first
    Seq(ReLU(8, 4), first, Linear(8, 4, 4))
    Fork(first, first)
    Repeat(1, first)
    net >> first  # has parameters perhaps: seen when the model is built


def windows(n: Dim[N], d: Dim[D]) -> None:
    Conv2d(2, 3, 8, 8, 4, 8, 8) >> Linear(2, 4, 10)
    Conv2d(2, 3, 8, 8, 4, 9, 9, padding=1) >> Linear(2, 16, 10)
    Conv2d(n, 3, d, d, 4, d, d) >> Linear(n, 4, 1)
    Conv2d(n, 3, d, d, 4, 9, 9)
    MaxPool2d(2, 3, 8, 8, 2, padding=1)


def options(x: Mat[3, 4], y: Mat[N, D], z: Mat[int, 4], v: Ids[5], n: Dim[N], w: list[float], p: float) -> None:
    mat(3, 4, x)
    mat(3, 4, y)
    mat(n, 4, z)
    mat(n, 4, x)
    mat(2, 2, [[1.0, 2.0], [3.0, 4.0]])
    ids(5, v)
    CrossEntropy(4, 3, weight=np.ones(3, np.float32))
    CrossEntropy(4, 3, weight=[1.0, 2.0, 3.0])
    CrossEntropy(4, 3, weight=w)
    CrossEntropy(4, 3, weight=[*w, 1.0])
    NLL(4, 3)
    Embedding(4, 10, 3, padding_id=9)
    Embedding(4, 10, 3, padding_id=None)
    Dropout(4, 3, 1, 0)
    Dropout(4, 3, 0.0, 0)
    Dropout(4, 3, p, 0)
