"""Sizes and orders of layers at their limits."""

from __future__ import annotations

from typing import Any, Final

from bendtorch import (
    CrossEntropy,
    Dim,
    Fork,
    Layer,
    Linear,
    LinearFirst,
    Mat,
    Permute,
    ReLU,
    Repeat,
    Reshape,
    Seq,
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
