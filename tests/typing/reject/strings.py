"""Sizes in annotations that are wrong, and calls that do not fit right ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

import numpy as np
from bendtorch import Dim, Ids, Mat
from bendtorch.shapes.dims import D, I, N
from support.sketches import Weight, matmul

Q = TypeVar("Q", bound=int)
T0 = TypeVar("T0")
WIDTH: Final = 32
changing = 32
changing = 33


@dataclass(frozen=True)
class Block(Generic[N, D]):
    """Sizes in its fields."""

    x: Mat[N, D]
    up: Weight[D, "4*D"]


@dataclass(frozen=True)
class Box(Generic[Q]):
    """One size."""

    q: Dim[Q]


class Plain(Generic[T0]):
    """Not a size parameter."""


class Cell(Generic[N, D]):
    """Methods."""

    def fwd(self, x: Mat[N, "4*D"]) -> Mat["2*N", D]:
        raise NotImplementedError

    def mix(self, x: Mat["N*I", "4*D"], i: Dim[I]) -> Mat[I, "D*I"]:
        raise NotImplementedError


# ---- annotations
def unfinished(x: Mat[N, "4*"]) -> None: ...  # E
def unknown(x: Mat[N, "4*Nope"]) -> None: ...  # E
def unknown_alone(x: Mat["Nope", N]) -> None: ...  # E
def power(x: Box["Q**2"]) -> None: ...  # E
def by_zero(x: Mat[N, "N//0"]) -> None: ...  # E
def module(x: Mat[N, "2*np"]) -> None: ...  # E
def one_size(x: Mat[N]) -> None: ...  # E
def three_sizes(x: Mat[N, 2, 3]) -> None: ...  # E
def two_ids(x: Ids[N, 2]) -> None: ...  # E
def plain(x: Plain["4*"]) -> None: ...  # E
def call(x: Mat[N, "max(N, 3)"]) -> None: ...  # E
def choice(b: Mat["WIDTH if 0 else 1", 3]) -> None: ...  # E
def no_constant(x: Mat[changing, 3]) -> None: ...  # E
def a_type(x: Mat[N, str]) -> None: ...  # E
def floating(x: Mat[N, "2.5"]) -> None: ...  # E


# ---- values against annotations
def local(n: Dim[N], q: Dim[Q]) -> None:
    b: Mat[N, "3*Q"] = np.zeros((n, q + q), dtype=np.float32)  # E
    d: Box["Q*(N + 1)"] = Box(q * n + n)  # E


def inside_only(x: Mat[N, "4*Q"]) -> Box["Q + 1"]:
    raise NotImplementedError


def up(x: Mat[N, D], w: Weight[D, "4*D"]) -> Mat[N, "4*D"]:
    return x @ w.w


def wrong_up(x: Mat[N, D], w: Weight[D, "4*D"]) -> Mat[N, "2*D"]:
    return x @ w.w  # E


def optional(a: Mat[N, "4*D"] | None, b: Callable[[Mat[N, "2*D"]], D], *c: Mat[1, "N*D"]) -> Mat[N, "3*D"]:
    raise NotImplementedError


def use(
    block: Block[3, 32],
    m: Mat[3, 128],
    x: Mat[3, 8],
    w: Weight[8, 31],
    cell: Cell[3, 8],
    y: Mat[6, 32],
    f: Callable[[Mat[3, 4]], Literal[2]],
    bad: Box[33],
) -> None:
    matmul(m, block.up.w)  # E
    inside_only(np.zeros((3, 30), dtype=np.float32))  # E
    Block(block.x, Weight(np.zeros((32, 127), dtype=np.float32)))  # E
    up(x, w)  # E
    cell.mix(y, 3)  # E
    cell.fwd(y)  # E
    optional(x, f, x)  # E
    box: Box[34] = bad  # E
