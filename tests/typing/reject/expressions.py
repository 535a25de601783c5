"""Sizes by expressions: operators, items of tuples, shapes taken apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bendtorch import Dim, Linear, Mat, ReLU
from bendtorch.shapes.dims import C, D, N

X = TypeVar("X")
SIZES = (784, 128, 10)

# ---- operators
Linear(4, 2**4, 1 << 3) >> ReLU(4, 9)  # E: >>: Linear gives Mat[4, 8], ReLU takes Mat[4, 9]  [bend-shape]
Linear(4, 2**4, 17 % 10) >> ReLU(4, 8)  # E: >>: Linear gives Mat[4, 7], ReLU takes Mat[4, 8]  [bend-shape]
Linear(4, 4, 16 >> 2) >> ReLU(4, 5)  # E: >>: Linear gives Mat[4, 4], ReLU takes Mat[4, 5]  [bend-shape]
Linear(4, 4, 7 % 0)  # E: Linear: dimension "o" is not static: it divides by 0  [bend-dim]
Linear(4, 4, max(3, 5)) >> ReLU(4, 3)  # E: >>: Linear gives Mat[4, 5], ReLU takes Mat[4, 3]  [bend-shape]


def operators(n: Dim[N], d: Dim[D], k: int) -> None:
    Linear(n, d, d**2) >> ReLU(n, 2 * d)  # E: >>: Linear gives Mat[N, D*D], ReLU takes Mat[N, 2*D]  [bend-shape]
    Linear(n, d, d << 1) >> ReLU(n, d)  # E: >>: Linear gives Mat[N, 2*D], ReLU takes Mat[N, D]  [bend-shape]
    Linear(n, d, d % 4) >> ReLU(n, d)  # E: >>: Linear gives Mat[N, D - 4*(D//4)], ReLU takes Mat[N, D]  [bend-shape]
    Linear(n, d, 2**k)  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o: int = 2 ** k"  [bend-dim]
    Linear(n, d, (k + 1) % 3 & 7)  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o = ((k + 1) % 3) & 7"  [bend-dim]
    Linear(max(n, 1), d, d)  # E: Linear: dimension "n" is not static; bind it to a name first, as in "size = max(n, 1)"  [bend-dim]
    Linear(n, d, min(d, d + 1)) >> ReLU(n, d + 1)  # E: >>: Linear gives Mat[N, D], ReLU takes Mat[N, D + 1]  [bend-shape]
    rows, other = max(n, 1), max(n, 1)
    ReLU(rows, d) >> ReLU(other, d)  # E: >>: the left ReLU gives Mat[rows, D], the right ReLU takes Mat[other, D]  [bend-shape]


# ---- tuples
Linear(4, SIZES[0], SIZES[1]) >> ReLU(4, SIZES[2])  # E: >>: Linear gives Mat[4, 128], ReLU takes Mat[4, 10]  [bend-shape]
Linear(4, SIZES[0], SIZES[-1]) >> ReLU(4, 128)  # E: >>: Linear gives Mat[4, 10], ReLU takes Mat[4, 128]  [bend-shape]
Linear(*SIZES) >> ReLU(784, 128)  # E: >>: Linear gives Mat[784, 10], ReLU takes Mat[784, 128]  [bend-shape]


def tuples(pair: tuple[int, int], changed: tuple[int, int, int], many: list[int]) -> None:
    Linear(4, 3, pair[0]) >> ReLU(4, pair[1])  # E: >>: Linear gives Mat[4, pair[0]], ReLU takes Mat[4, pair[1]]  [bend-shape]
    a, b = pair
    Linear(4, 3, a) >> ReLU(4, b)  # E: >>: Linear gives Mat[4, pair[0]], ReLU takes Mat[4, pair[1]]  [bend-shape]
    changed = (*pair, 3)
    Linear(4, 3, changed[0])  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o = changed[0]"  [bend-dim]
    Linear(*changed)  # E: Linear: dimension "n" is not static: "changed" is bound more than once; give each number a name of its own  [bend-dim]
    Linear(4, 3, many[0])  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o = many[0]"  [bend-dim]


def once(make: Callable[[tuple[int, int]], X]) -> X:
    raise NotImplementedError


once(lambda s: ReLU(3, s[0])) >> ReLU(3, 4)  # E: >>: once gives Mat[3, int], ReLU takes Mat[3, 4]  [bend-shape]


# ---- shapes
def shapes(x: Mat[N, C], y: NDArray[np.float32], z: NDArray[np.float32]) -> None:
    n, c = x.shape
    Linear(n, c, 3) >> ReLU(c, 3)  # E: >>: Linear gives Mat[N, 3], ReLU takes Mat[C, 3]  [bend-shape]
    a, b = y.shape
    Linear(a, b, 3) >> ReLU(b, 3)  # E: >>: Linear gives Mat[a, 3], ReLU takes Mat[b, 3]  [bend-shape]
    rows = z.shape[0]
    Linear(a, b, 3) >> ReLU(rows, 3)  # E: >>: Linear gives Mat[a, 3], ReLU takes Mat[rows, 3]  [bend-shape]


# ---- declared before it is bound
number: int


def set_number(k: int) -> None:
    global number
    number = k


def use_number(k: bool) -> None:
    Linear(3, 4, number)  # E: Linear: dimension "o" is not static: "number" is bound more than once; give each number a name of its own  [bend-dim]
    twice: int
    if k:
        twice = 3
    else:
        twice = 4
    Linear(3, 4, twice)  # E: Linear: dimension "o" is not static: "twice" is bound more than once; give each number a name of its own  [bend-dim]


# ---- a constant of a class
class Settings:
    WIDTH = 18


Linear(3, Settings.WIDTH, 4)  # E: Linear: dimension "i" is not static: "Settings.WIDTH" may change; bind it to a name first, as in "WIDTH = Settings.WIDTH", or declare it Final in Settings  [bend-dim]
again = Linear
again(3, int(input()), 4)  # E: again: dimension "i" is not static; bind it to a name first, as in "i = int(input())"  [bend-dim]
