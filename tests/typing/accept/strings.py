"""Sizes written as strings, wherever a size may stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, Literal, NewType, TypeAlias, TypeVar, cast

import numpy as np
from jaxtyping import Float32
from support.sketches import Weight, matmul
from typing_extensions import assert_type

import bendtorch as bt
from bendtorch import Dim, Ids, Layer, Lin, Linear, Mat, ReLU, Unit
from bendtorch.shapes import dims
from bendtorch.shapes.dims import D, I, N

Q = TypeVar("Q", bound=int)
WIDTH: Final = 32
Four: TypeAlias = Literal[4]
Batch = NewType("Batch", int)


@dataclass(frozen=True)
class Block(Generic[N, D]):
    """A class of the user's own, sizes in its fields."""

    x: Mat[N, D]
    up: Weight[D, "4*D"]
    pair: tuple[Mat[N, "4*D"], Mat["N*2", D]]
    f: Callable[[Mat[N, "4*D"]], Mat[N, "(4*D)//2"]]


@dataclass(frozen=True)
class Box(Generic[Q]):
    """A class with a size variable of the user's own."""

    q: Dim[Q]


def nested(layer: Layer[tuple[Lin[D, "4*D"], Unit], Mat[N, D], Mat[N, "4*D"], Any]) -> Mat["N//2", "D - 1"]:
    raise NotImplementedError


def inside_only(x: Mat[N, "4*Q"]) -> Box["Q + 1"]:
    raise NotImplementedError


def only_returned(n: Dim[N], q: Dim[Q]) -> tuple[Box["N*Q"], Mat["N*Q", 1]]:
    raise NotImplementedError


def local(n: Dim[N], q: Dim[Q]) -> None:
    a: Mat[N, "2*Q"] = np.zeros((n, q + q), dtype=np.float32)
    box: Box["Q*(N + 1)"] = Box(q * n + q)

    def deep(x: Mat["N*Q", Q]) -> Mat[N, "Q*Q"]:
        raise NotImplementedError

    square: Mat[N, "Q*Q"] = deep(np.zeros((n * q, q), dtype=np.float32))


Big: TypeAlias = Mat[N, "4*D"]
Deep: TypeAlias = Layer[tuple[Lin[D, "D*WIDTH"], Unit], Mat[N, D], Mat[N, "Four*D"], Any]
Pair: TypeAlias = tuple[Mat[N, "4*D"], Mat[N, D]]
Implicit = tuple[Mat[N, "4*D"], Mat[N, D]]
quoted: "Mat[4, '2*4']" = np.zeros((4, 8), dtype=np.float32)
literal: Literal["4*D", "B*T"] = "4*D"


class Sub(Lin[N, "2*N"]):
    """A subclass of a class with sizes."""


def constants(a: Mat["WIDTH", "2*WIDTH"], c: Mat[WIDTH, N]) -> Mat["Four", N]:
    raise NotImplementedError


def mixed(a: Mat["2*Four", "WIDTH*Batch"]) -> None:
    assert_type(a, Mat[8, "32*Batch"])


def dotted(a: Mat["dims.N * 2", dims.N]) -> Mat[dims.N, "2*dims.N"]:
    return a.T


def use(
    block: Block[3, 32], big: Big[3, 32], deep: Deep[6, 5], m: Mat[3, 128], i: Ids["2*3"], n: Dim[N], anything: Any
) -> None:
    assert_type(block.up, Weight[32, 128])
    assert_type(block.pair, tuple[Mat[3, 128], Mat[6, 32]])
    assert_type(block.f(m), Mat[3, 64])
    assert_type(big, Mat[3, 128])
    assert_type(deep, Layer[tuple[Lin[6, 192], Unit], Mat[5, 6], Mat[5, 24], Any])
    assert_type(inside_only(m), Box[33])
    assert_type(only_returned(7, 5), tuple[Box[35], Mat[35, 1]])
    assert_type(i, Ids[6])
    assert_type(nested(Linear(n, 8, 32) >> ReLU(n, 32)), Mat["N//2", 7])
    assert_type(matmul(block.x, block.up.w), Mat[3, 128])
    assert_type(cast(Mat["3 + 1", "4*5"], anything), Mat[4, 20])
    Block(block.x, Weight(np.zeros((32, 128), dtype=np.float32)), block.pair, block.f)


def aliases(a: Pair[3, 5], b: Implicit[3, 5]) -> None:
    assert_type(a, tuple[Mat[3, 20], Mat[3, 5]])
    assert_type(b, tuple[Mat[3, 20], Mat[3, 5]])


def up(x: Mat[N, D], w: Weight[D, "4*D"]) -> Mat[N, "4*D"]:
    return x @ w.w


def call(x: Mat[3, 8], w: Weight[8, 32]) -> None:
    assert_type(up(x, w), Mat[3, 32])


def of_others(
    a: Float32[np.ndarray[Any, Any], "N 4*D"], b: Float32[np.ndarray[Any, Any], "4*D"], c: Annotated[int, "2*x"]
) -> Literal["4*D"]:
    return "4*D"


def optional(
    a: Mat[N, "4*D"] | None, b: Callable[[Mat[N, "2*D"]], D], *c: Mat[1, "N*D"], d: Dim[D]
) -> list[Mat[N, "3*D"]]:
    raise NotImplementedError


def use_optional(a: Mat[3, 8], b: Callable[[Mat[3, 4]], Literal[2]], c: Mat[1, 6]) -> None:
    assert_type(optional(a, b, c, c, d=2), list[Mat[3, 6]])


assert_type(bt.ReLU(3, 4).zeros(), Unit)


class Cell(Generic[N, D]):
    """Methods with sizes of the class, and of their own."""

    def fwd(self, x: Mat[N, "4*D"]) -> Mat["2*N", D]:
        raise NotImplementedError

    def mix(self, x: Mat["N*I", "4*D"], i: Dim[I]) -> Mat[I, "D*I"]:
        raise NotImplementedError

    @property
    def w(self) -> Weight[D, "4*D"]:
        raise NotImplementedError

    @classmethod
    def make(cls, n: Dim[N], d: Dim[D]) -> Cell[N, "2*D"]:
        raise NotImplementedError


def members(cell: Cell[3, 8], x: Mat[3, 32], y: Mat[6, 32]) -> None:
    assert_type(cell.fwd(x), Mat[6, 8])
    assert_type(cell.mix(y, 2), Mat[2, 16])
    assert_type(cell.w, Weight[8, 32])
    assert_type(Cell.make(3, 5), Cell[3, 10])
