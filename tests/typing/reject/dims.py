"""Sizes that are not known statically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bendtorch import Dim, Layer, Linear, Mat, ReLU, Seq
from bendtorch.shapes.dims import N


@dataclass
class Changing:
    """Not frozen: its width may change."""

    width: int


def unknown(n: Dim[N], sizes: list[int], changing: Changing, anything: Any, flag: bool) -> None:
    Linear(n, sizes[0], 10)  # E
    Linear(n, 10, changing.width)  # E
    Linear(n, 10, anything)  # E
    Linear(n, 10, len(sizes))  # E
    Linear(*sizes)  # E
    ReLU(n, 3 if flag else 4)  # E
    width = 3
    width = 4
    ReLU(n, width)  # E
    for k in range(3):
        ReLU(n, k)  # E
    grown = 8
    while flag:
        grown *= 2
    ReLU(n, 2 * grown)  # E
    Seq(ReLU(n, width), ReLU(n, width + 1))  # E
    ReLU(n, flag)  # E
    ReLU(n, 7 // 0)  # E


ReLU(3, 4 - 5)  # E
ReLU("3", 4)  # E
ReLU(3, 2.0)  # E
ReLU(3)  # E
ReLU(3, 4, 5)  # E


def two_of_one(n: Dim[N], m: Dim[N]) -> Mat[N, 1]:
    raise NotImplementedError


two_of_one(3, 4)  # E


def met(make: Any) -> None:
    loose: Layer[Any, Mat[int, 4], Mat[int, int], Any] = make
    other: Layer[Any, Mat[int, int], Mat[int, 4], Any] = make
    loose >> other  # E
    Seq(loose, other)  # E
