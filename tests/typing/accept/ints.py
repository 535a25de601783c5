"""Classes of ints, members of enums, and type variables that calls do not check."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final, Literal, NewType, TypeVar

from typing_extensions import assert_type

from bendtorch import Dim, Layer, Lin, Linear, Mat, ReLU

Size = TypeVar("Size", bound=int)
Rows = NewType("Rows", int)


class Width(IntEnum):
    NARROW = 3
    WIDE = 4
    SLIM = 3


class Kind(IntEnum):
    ONE = auto()


class Count(int):
    """A number."""


WIDE: Final = Width.WIDE
COUNT = Count(3)
assert_type(Linear(3, 3, Width.NARROW), Layer[Lin[3, 3], Mat[3, 3], Mat[3, 3], Mat[3, 3]])
assert_type(Linear(3, 3, 2 * WIDE - 1), Layer[Lin[3, 7], Mat[3, 3], Mat[3, 7], Mat[3, 3]])
Linear(3, 3, Width.NARROW) >> ReLU(3, Width.SLIM)
Linear(3, 3, Width.WIDE.value) >> ReLU(3, 4)
Linear(3, 3, Kind.ONE) >> ReLU(3, Kind.ONE)
Linear(3, 3, COUNT) >> ReLU(3, COUNT)


def of_classes(e: Width, one: Literal[Width.NARROW], rows: Rows, x: Mat[Rows, 3]) -> None:
    Linear(3, 3, e) >> ReLU(3, e)
    Linear(3, 3, one) >> ReLU(3, 3)
    ReLU(rows, 3).fwd((), x)
    if e is Width.NARROW:
        Linear(3, 3, e) >> ReLU(3, 3)


def larger(a: Size, b: Size) -> Size:
    return a if a > b else b


def checked(a: Size, b: Dim[Size]) -> None:
    Linear(3, 3, a) >> ReLU(3, b)


larger(3, 4)
checked(3, 3)
