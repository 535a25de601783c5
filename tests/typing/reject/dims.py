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
    Linear(n, sizes[0], 10)  # E: Linear: dimension "i" is not static; bind it to a name first, as in "i = sizes[0]"  [bend-dim]
    Linear(n, 10, changing.width)  # E: Linear: dimension "o" is not static: "changing.width" may change; bind it to a name first, as in "width = changing.width", or make Changing a frozen dataclass  [bend-dim]
    Linear(n, 10, anything)  # E: Linear: dimension "o" is not static: the type of "anything" is not known; declare it int  [bend-dim]
    Linear(n, 10, len(sizes))  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o = len(sizes)"  [bend-dim]
    Linear(*sizes)  # E: Linear: dimension "n" is not static: *sizes may have any length; unpack it first, as in "n, i, o = sizes"  [bend-dim]
    ReLU(n, 3 if flag else 4)  # E: ReLU: dimension "c" is not static; give a number, a Final, a name bound once, or a parameter typed by a dimension variable  [bend-dim]
    width = 3
    width = 4
    ReLU(n, width)  # E: ReLU: dimension "c" is not static: "width" is bound more than once; give each number a name of its own  [bend-dim]
    for k in range(3):
        pass
    ReLU(n, k)  # E: ReLU: dimension "c" is not static: "k" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]
    grown = 8
    while flag:
        grown *= 2
    ReLU(n, 2 * grown)  # E: ReLU: dimension "c" is not static: "grown" is bound more than once; give each number a name of its own  [bend-dim]
    Seq(ReLU(n, width), ReLU(n, width + 1))  # E: ReLU: dimension "c" is not static: "width" is bound more than once; give each number a name of its own  [bend-dim]
    if (walrus := len(sizes)) > 2:
        ReLU(n, walrus)  # E: ReLU: dimension "c" is not static: "walrus" is bound inside of an expression; bind it in a statement of its own  [bend-dim]
    again = 3
    print([again := again + 1 for _ in sizes])
    ReLU(n, again)  # E: ReLU: dimension "c" is not static: "again" is bound inside of an expression; bind it in a statement of its own  [bend-dim]
    captured = 3
    match sizes:
        case [captured, *_]:
            ReLU(n, captured)  # E: ReLU: dimension "c" is not static: "captured" is bound inside of an expression; bind it in a statement of its own  [bend-dim]
    outer = 5

    def inner() -> None:
        nonlocal outer
        outer = 6

    ReLU(n, outer)  # E: ReLU: dimension "c" is not static: "outer" is bound more than once; give each number a name of its own  [bend-dim]
    ReLU(n, flag)  # E: ReLU: dimension "c" is not static; give a number, a Final, a name bound once, or a parameter typed by a dimension variable  [bend-dim]
    ReLU(n, 7 // 0)  # E: ReLU: dimension "c" is not static: it divides by 0  [bend-dim]


ReLU(3, 4 - 5)  # E: ReLU: dimension "c" is -1; a size is not negative  [bend-dim]
ReLU("3", 4)  # E: Argument 1 to "ReLU" has incompatible type "str"; expected "int"  [arg-type]
ReLU(3, 2.0)  # E: Argument 2 to "ReLU" has incompatible type "float"; expected "int"  [arg-type]
ReLU(3)  # E: Missing positional argument "c" in call to "ReLU"  [call-arg]
ReLU(3, 4, 5)  # E: Too many arguments for "ReLU"  [call-arg]


def two_of_one(n: Dim[N], m: Dim[N]) -> Mat[N, 1]:
    raise NotImplementedError


two_of_one(3, 4)  # E: two_of_one: "n" is 3, "m" is 4; they must be equal  [bend-shape]


def met(make: Any) -> None:
    loose: Layer[Any, Mat[int, 4], Mat[int, int], Any] = make
    other: Layer[Any, Mat[int, int], Mat[int, 4], Any] = make
    loose >> other  # E: >>: loose gives Mat[int, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    Seq(loose, other)  # E: Seq: the second layer takes Mat[int, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
