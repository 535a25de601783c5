"""Sizes in annotations that are wrong, and calls that do not fit right ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

import numpy as np
from support.sketches import Weight, matmul

from bendtorch import Dim, Ids, Mat
from bendtorch.shapes.dims import D, I, N

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
def unfinished(x: Mat[N, "4*"]) -> None: ...  # E: Mat: "4*" is not a size; write names and numbers with + - * // and parentheses  [bend-dim]
def unknown(x: Mat[N, "4*Nope"]) -> None: ...  # E: Mat: unknown size "Nope" in "4*Nope"  [bend-dim]
def unknown_alone(x: Mat["Nope", N]) -> None: ...  # E: Name "Nope" is not defined  [name-defined]
def power(x: Box["Q**2"]) -> None: ...  # E: Box: "Q**2" is not a size; write names and numbers with + - * // and parentheses  [bend-dim]
def by_zero(x: Mat[N, "N//0"]) -> None: ...  # E: Mat: "N//0" divides by 0  [bend-dim]
def module(x: Mat[N, "2*np"]) -> None: ...  # E: Mat: unknown size "np" in "2*np"  [bend-dim]
def one_size(x: Mat[N]) -> None: ...  # E: Mat takes 2 sizes, 1 given  [bend-dim]
def three_sizes(x: Mat[N, 2, 3]) -> None: ...  # E: Mat takes 2 sizes, 3 given  [bend-dim]
def two_ids(x: Ids[N, 2]) -> None: ...  # E: Ids takes 1 size, 2 given  [bend-dim]
def plain(x: Plain["4*"]) -> None: ...  # E: Invalid type comment or annotation  [valid-type]
def call(x: Mat[N, "max(N, 3)"]) -> None: ...  # E: Mat: "max(N, 3)" is not a size; write names and numbers with + - * // and parentheses  [bend-dim]
def choice(b: Mat["WIDTH if 0 else 1", 3]) -> None: ...  # E: Mat: "WIDTH if 0 else 1" is not a size; write names and numbers with + - * // and parentheses  [bend-dim]
def no_constant(x: Mat[changing, 3]) -> None: ...  # E: Mat: unknown size "changing"  [bend-dim]
def a_type(x: Mat[N, str]) -> None: ...  # E: Type argument "str" of "Mat" must be a subtype of "int"  [type-var]
def floating(x: Mat[N, "2.5"]) -> None: ...  # E: Mat: "2.5" is not a size; write names and numbers with + - * // and parentheses  [bend-dim]


# ---- values against annotations
def local(n: Dim[N], q: Dim[Q]) -> None:
    b: Mat[N, "3*Q"] = np.zeros((n, q + q), dtype=np.float32)  # E: the value is Mat[N, 2*Q], declared Mat[N, 3*Q]  [assignment]
    d: Box["Q*(N + 1)"] = Box(q * n + n)  # E: the value is Box[N*Q + N], declared Box[N*Q + Q]  [assignment]


def inside_only(x: Mat[N, "4*Q"]) -> Box["Q + 1"]:
    raise NotImplementedError


def up(x: Mat[N, D], w: Weight[D, "4*D"]) -> Mat[N, "4*D"]:
    return x @ w.w


def wrong_up(x: Mat[N, D], w: Weight[D, "4*D"]) -> Mat[N, "2*D"]:
    return x @ w.w  # E: the returned value is Mat[N, 4*D], declared Mat[N, 2*D]  [return-value]


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
    matmul(m, block.up.w)  # E: matmul: "a" is Mat[3, 128], "b" is Mat[32, 128]  [bend-shape]
    inside_only(np.zeros((3, 30), dtype=np.float32))  # E: inside_only: size Q cannot be found from the arguments (4*Q = 30)  [bend-dim]
    Block(block.x, Weight(np.zeros((32, 127), dtype=np.float32)))  # E: Block: "up" is Weight[32, 127], expected Weight[32, 128]  [bend-shape]
    up(x, w)  # E: up: "w" is Weight[8, 31], expected Weight[8, 32]  [bend-shape]
    cell.mix(y, 3)  # E: Cell.mix: "x" is Mat[6, 32], expected Mat[9, 32]  [bend-shape]
    cell.fwd(y)  # E: Cell.fwd: "x" is Mat[6, 32], expected Mat[3, 32]  [arg-type]
    optional(x, f, x)  # E: optional: "c" is Mat[3, 8], expected Mat[1, 6]  [bend-shape]
    box: Box[34] = bad  # E: the value is Box[33], declared Box[34]  [assignment]
