"""Sizes by expressions: operators, items of tuples, shapes taken apart."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bendtorch import Dim, Linear, Mat, ReLU
from bendtorch.shapes.dims import C, D, N

SIZES = (784, 128, 10)
Linear(4, 2**4, 1 << 3) >> ReLU(4, 8)
Linear(4, 17 % 10, 16 >> 2) >> ReLU(4, 4)
Linear(max(2, 4), 3, min(5, 7)) >> ReLU(4, 5)
Linear(4, SIZES[0], SIZES[1]) >> Linear(4, SIZES[1], SIZES[-1]) >> ReLU(4, 10)
Linear(*SIZES) >> ReLU(784, 10)


def operators(n: Dim[N], d: Dim[D], k: int) -> None:
    Linear(n, d**2, d << 1) >> ReLU(n, 2 * d)
    Linear(n, d, 4 * (d // 4) + d % 4) >> ReLU(n, d)
    Linear(n, d, max(d, d + 1)) >> ReLU(n, d + 1)
    rows, few = max(n, 1), min(k, d)
    Linear(rows, d, few) >> ReLU(rows, few)


def tuples(pair: tuple[int, int], many: tuple[int, ...]) -> None:
    i, h, o = SIZES
    Linear(4, i, h) >> ReLU(4, 128) >> Linear(4, h, o) >> ReLU(4, 10)
    a, b = pair
    Linear(4, *pair) >> ReLU(4, b)
    Linear(4, a, pair[1]) >> ReLU(4, b)
    Linear(4, 3, many[0]) >> ReLU(4, many[0])
    again = SIZES
    Linear(4, 3, again[1]) >> ReLU(4, 128)


def shapes(x: Mat[N, C], y: NDArray[np.float32]) -> None:
    n, c = x.shape
    Linear(n, c, 3) >> ReLU(n, 3)
    a, b = y.shape
    Linear(a, b, 3) >> ReLU(a, 3)
    rows: int
    columns: int
    rows, columns = y.shape
    Linear(rows, columns, 3) >> ReLU(rows, 3)
    first = y.shape[0]
    ReLU(first, 3) >> ReLU(first, 3)


def declared() -> None:
    n: int
    n = int(input())
    ReLU(n, 3) >> ReLU(n, 3)


class Settings:
    WIDTH: Final = 18


Linear(3, Settings.WIDTH, 4) >> Linear(3, 4, 18)
