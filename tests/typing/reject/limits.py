"""Sizes and orders of layers that their constructors would refuse when the model is built."""

from __future__ import annotations

from typing import Any, Final

from bendtorch import (
    CrossEntropy,
    Dim,
    Fork,
    Id,
    Layer,
    Linear,
    LinearFirst,
    LinearNB,
    Mat,
    Permute,
    ReLU,
    Repeat,
    Reshape,
    Residual,
    Seq,
    Tie,
)
from bendtorch.shapes.dims import D, N

NOTHING: Final = 0


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
