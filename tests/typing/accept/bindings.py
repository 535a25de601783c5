"""Names and fields that stand for one number, however they are bound."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from typing_extensions import assert_type

from bendtorch import Layer, Linear, Mat, ReLU, Unit
from bendtorch.shapes.dims import D, N

L = TypeVar("L")
T = TypeVar("T")


def number() -> int:
    raise NotImplementedError


@contextlib.contextmanager
def opened() -> Iterator[int]:
    yield 3


def of_names(rows: list[int], flag: bool, n: int = 3) -> None:
    k = rows[0]
    ReLU(3, k) >> ReLU(3, k)
    same = k
    ReLU(3, k) >> ReLU(3, same)
    either = 3 if flag else 4
    ReLU(3, either) >> ReLU(3, either)
    a = b = number()
    ReLU(3, a) >> ReLU(3, b)
    with opened() as inside:
        ReLU(n, inside) >> ReLU(n, inside)
    try:
        tried = number()
    finally:
        ReLU(3, n)
    ReLU(3, tried) >> ReLU(3, tried)
    c: Final = number()
    ReLU(3, c) >> ReLU(3, c)

    def inner() -> object:
        return ReLU(3, k) >> ReLU(3, same)


class Plain:
    """Its width may be assigned."""

    width: int = 3


def of_objects(plain: Plain) -> None:
    width = plain.width
    ReLU(3, width) >> ReLU(3, width)


class Model:
    """Layers in fields; the constructor knows what it has set."""

    def __init__(self, k: int) -> None:
        self.first = Linear(3, 4, k)
        self.second = ReLU(3, k)
        self.both = self.first >> self.second
        self.whole: Layer[Any, Mat[3, 4], Mat[3, 5], Any] = self.both >> Linear(3, k, 5)


class Sizes(NamedTuple):
    """Two sizes."""

    a: int
    b: int


@dataclass(frozen=True)
class Holder(Generic[L]):
    """A layer whose type is the holder's own."""

    layer: L
    width: int


def of_fields(s: Sizes, k: int, holder: Holder[Layer[Unit, Mat[N, D], Mat[N, D], Any]]) -> None:
    ReLU(3, s.a) >> ReLU(3, s.a)
    own = Holder(ReLU(3, k), k)
    own.layer >> ReLU(3, k)
    ReLU(3, own.width) >> ReLU(3, own.width)
    holder.layer >> holder.layer


def called(f: Callable[[int], T]) -> T:
    return f(3)


def of_lambdas() -> None:
    seam: Callable[[int], object] = lambda n: [ReLU(3, n) >> ReLU(3, n)]
    assert_type(called(lambda n: 2 * n), int)
    assert_type(called(lambda n: ReLU(n, 4)), Layer[Unit, Mat[int, 4], Mat[int, 4], Mat[int, 4]])
