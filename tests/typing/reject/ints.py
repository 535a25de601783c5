"""Classes of ints, members of enums, and type variables that calls do not check."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import NewType, TypeVar

from bendtorch import Dim, Linear, Mat, ReLU

Size = TypeVar("Size", bound=int)
Rows = NewType("Rows", int)


class Width(IntEnum):
    NARROW = 3
    WIDE = 4


class Kind(IntEnum):
    ONE = auto()
    TWO = auto()


class Count(int):
    """A number."""


class Own(IntEnum):
    """An enum that makes its members itself."""

    A = 3

    def __new__(cls, value: int) -> Own:
        return int.__new__(cls, 2 * value)


# ---- members count by their values
Linear(3, 3, Width.NARROW) >> ReLU(3, Width.WIDE)  # E: >>: Linear gives Mat[3, 3], ReLU takes Mat[3, 4]  [bend-shape]
Linear(3, 3, Width.NARROW + 1) >> ReLU(3, 3)  # E: >>: Linear gives Mat[3, 4], ReLU takes Mat[3, 3]  [bend-shape]
Linear(3, 3, Kind.ONE) >> ReLU(3, Kind.TWO)  # E: >>: Linear gives Mat[3, Kind.ONE], ReLU takes Mat[3, Kind.TWO]  [bend-shape]
Linear(3, 3, Own.A) >> ReLU(3, 3)  # E: >>: Linear gives Mat[3, Own.A], ReLU takes Mat[3, 3]  [bend-shape]


# ---- each value of a class is another number
def of_classes(e: Width, g: Width, x: Mat[3, Width]) -> None:
    Linear(3, 3, e) >> ReLU(3, g)  # E: >>: Linear gives Mat[3, e], ReLU takes Mat[3, g]  [bend-shape]
    Linear(3, 3, Count(3)) >> ReLU(3, 4)  # E: Linear: dimension "o" is not static; bind it to a name first, as in "o = Count(3)"  [bend-dim]
    count, other = Count(3), Count(4)
    Linear(3, 3, count) >> ReLU(3, other)  # E: >>: Linear gives Mat[3, count], ReLU takes Mat[3, other]  [bend-shape]
    ReLU(3, e).fwd((), x)  # E: Layer.fwd: "x" is Mat[3, Width], the layer takes Mat[3, e]  [arg-type]


# ---- a type variable says that two arguments are one size, where calls check it
def unchecked(a: Size, b: Size) -> None:
    Linear(3, 3, a) >> ReLU(3, 4)  # E: Linear: dimension "o" is not static: calls do not check that "Size" is one size; declare it Dim[Size]  [bend-dim]


def of_list(a: list[Size], b: Size) -> None:
    Linear(3, 3, a[0]) >> ReLU(3, 4)  # E: Linear: dimension "o" is not static: calls do not check that "Size" is one size; declare it Dim[Size]  [bend-dim]


def checked(a: Size, b: Dim[Size]) -> None:
    Linear(3, 3, a) >> ReLU(3, b)


def by_result(a: Size, b: Size) -> Mat[Size, 3]:
    raise NotImplementedError


checked(3, 4)  # E: checked: "a" is 3, "b" is 4; they must be equal  [bend-shape]
by_result(3, 4)  # E: by_result: "a" is 3, "b" is 4; they must be equal  [bend-shape]
