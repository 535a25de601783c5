"""Sizes and orders of layers that their constructors would refuse when the model is built."""

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
    Id,
    Ids,
    Layer,
    Linear,
    LinearFirst,
    LinearNB,
    Mat,
    MaxPool2d,
    Permute,
    ReLU,
    Repeat,
    Reshape,
    Residual,
    Seq,
    Tie,
    ids,
    mat,
)
from bendtorch.shapes.dims import D, N

NOTHING: Final = 0
OFTEN: Final = 2.0


# ---- a number of copies
def copies(n: Dim[N], d: Dim[D]) -> None:
    Repeat(0, ReLU(n, d))  # E: Repeat: "k" is 0; give at least 1  [bend-dim]
    Repeat(NOTHING, ReLU(n, d))  # E: Repeat: "k" is 0; give at least 1  [bend-dim]
    Repeat(k=-1, f=ReLU(n, d))  # E: Repeat: "k" is -1; give at least 1  [bend-dim]


# ---- no columns: only rows may be 0
def empty(d: Dim[D]) -> None:
    Linear(8, 0, 4)  # E: Linear: dimension "i" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    Linear(8, 4, d - d)  # E: Linear: dimension "o" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    Linear(8, -d, 4)  # E: Linear: dimension "i" is -D; give at least 1, only the number of rows may be 0  [bend-dim]
    Linear(-1, 4, 4)  # E: Linear: dimension "n" is -1; a size is not negative  [bend-dim]
    ReLU(4, NOTHING)  # E: ReLU: dimension "c" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    Permute(0, 3, 0)  # E: Permute: dimension "c" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    Reshape(3, 0, 4, 0)  # E: Reshape: dimension "i" is 0; give at least 1, only the number of rows may be 0  [bend-dim] # E: Reshape: dimension "o" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    CrossEntropy(3, 0)  # E: CrossEntropy: dimension "c" is 0; give at least 1, only the number of rows may be 0  [bend-dim]


# ---- no gradient for parameters to train
def blind(net: Layer[Any, Mat[8, 4], Mat[8, 4], Any]) -> None:
    first = LinearFirst(8, 4, 4)
    Linear(8, 4, 4) >> LinearFirst(8, 4, 4)  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Linear(8, 4, 4) >> ReLU(8, 4) >> first  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    LinearFirst(8, 4, 4) >> LinearFirst(8, 4, 4)  # E: >>: LinearFirst gives no gradient of its input, which LinearFirst before it needs to train; use Linear there  [bend-shape]
    Linear(8, 4, 4) >> (ReLU(8, 4) >> first)  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Linear(8, 4, 4) >> Residual(ReLU(8, 4) >> first)  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Linear(8, 4, 4) >> Fork(Id(8, 4), first)  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Repeat(3, Linear(8, 4, 4)) >> ReLU(8, 4) >> first  # E: >>: LinearFirst gives no gradient of its input, which Repeat before it needs to train; use Linear there  [bend-shape]
    Seq(Linear(8, 4, 4), first)  # E: Seq: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Seq(ReLU(8, 4), ReLU(8, 4), ReLU(8, 4), Linear(8, 4, 4), ReLU(8, 4), first)  # E: Seq: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape]
    Repeat(2, first)  # E: Repeat: LinearFirst gives no gradient of its input, which the copy before it needs to train; use Linear there  [bend-shape]
    Tie(LinearNB(8, 4, 5), Linear(8, 5, 4) >> LinearFirst(8, 4, 4), LinearNB(8, 4, 5))  # E: >>: LinearFirst gives no gradient of its input, which Linear before it needs to train; use Linear there  [bend-shape] # E: Tie: LinearFirst gives no gradient of its input, which LinearNB before it needs to train; use Linear there  [bend-shape]


# ---- sizes that a layer works out
def windows(n: Dim[N], d: Dim[D]) -> None:
    Conv2d(2, 3, 4, 4, 4, 9, 9) >> Linear(2, 64, 10)  # E: Conv2d: (h + 2*padding - kh)//stride + 1 is -4; such a size must be at least 1  [bend-dim]
    Conv2d(2, 3, 8, 8, 4, 9, 9)  # E: Conv2d: (h + 2*padding - kh)//stride + 1 is 0; such a size must be at least 1  [bend-dim]
    Conv2d(2, 3, 8, 8, 4, 3, 9)  # E: Conv2d: (2*padding + w - kw)//stride + 1 is 0; such a size must be at least 1  [bend-dim]
    Conv2d(n, 3, d, d, 4, d + 1, d)  # E: Conv2d: (h + 2*padding - kh)//stride + 1 is 0; such a size must be at least 1  [bend-dim]
    MaxPool2d(2, 3, 1, 1, 5, stride=1) >> Linear(2, 27, 1)  # E: MaxPool2d: (h + 2*padding - k)//stride + 1 is -3; such a size must be at least 1  [bend-dim]
    MaxPool2d(2, 3, 8, 8, 2, padding=2)  # E: MaxPool2d: "padding" is 2, the window 2; take at most half of the window  [bend-dim]


def Shorter(n: Dim[N], d: Dim[D]) -> Layer[Any, Mat[N, D], Mat[N, "D - 3"], Any]:
    raise NotImplementedError


Shorter(4, 2)  # E: Shorter: d - 3 is -1; such a size must be at least 0  [bend-dim]


# ---- options and data that a number or a type decides
def options(x: Mat[3, 4], v: Ids[5]) -> None:
    mat(3, 5, x)  # E: mat: "data" is Mat[3, 4], which cannot be Mat[3, 5]  [bend-shape]
    ids(4, v)  # E: ids: "data" is Ids[5], which cannot be Ids[4]  [bend-shape]
    mat(5, 1, v)  # E: mat: "data" is Ids[5], which cannot be Mat[5, 1]  [bend-shape]
    CrossEntropy(4, 3, weight=np.ones(4, np.float32))  # E: CrossEntropy: "weight" has 4 numbers, one for each of c = 3 classes is wanted  [bend-shape]
    NLL(4, 3, weight=[1.0, 2.0])  # E: NLL: "weight" has 2 numbers, one for each of c = 3 classes is wanted  [bend-shape]
    Embedding(4, 10, 3, padding_id=10)  # E: Embedding: "padding_id" is 10; the rows of the table go from 0 to 9  [bend-dim]
    Embedding(4, 10, 3, padding_id=-1)  # E: Embedding: "padding_id" is -1; the rows of the table go from 0 to 9  [bend-dim]
    Dropout(4, 3, 1.5, 0)  # E: Dropout: "p" is 1.5; give a probability, from 0 to 1  [bend-dim]
    Dropout(4, 3, -0.5, 0)  # E: Dropout: "p" is -0.5; give a probability, from 0 to 1  [bend-dim]
    Dropout(4, 3, OFTEN, 0)  # E: Dropout: "p" is 2.0; give a probability, from 0 to 1  [bend-dim]
