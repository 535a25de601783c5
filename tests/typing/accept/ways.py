"""The ways to write a model: unpacked sizes, lambdas, methods, fields, tuples, choices, keywords, aliases."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, NamedTuple

from typing_extensions import assert_type

import bendtorch as bt
from bendtorch import (
    Both,
    CrossEntropy,
    Dim,
    Fork,
    Id,
    Ids,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    LinearNB,
    Mat,
    ReLU,
    Repeat,
    Seq,
    Train,
    Unit,
    fit,
)
from bendtorch.shapes.dims import C, D, N
from bendtorch.train.batches import Batches


# ---- names bound by unpacking
def sizes() -> tuple[int, int]:
    raise NotImplementedError


def of_shapes(x: Mat[N, C]) -> Mat[N, 10]:
    n, c = x.shape
    shape = x.shape
    rows, columns = shape
    ReLU(rows, columns).fwd((), x)
    ReLU(x.shape[0], x.shape[1]).fwd((), x)
    ReLU(len(x), c).fwd((), x)
    model = Linear(n, c, 10)
    return model.fwd(model.zeros(), x).y


def at_run_time(rows: list[int]) -> None:
    a, b = sizes()
    (c, d), e = sizes(), len(rows)
    n, width = len(rows), int(sys.argv[1])
    first, *others = rows
    Linear(a, 3, b) >> ReLU(a, b)
    Linear(c, d, e) >> Linear(c, e, 2 * d)
    Linear(n, 3, width) >> ReLU(n, width)
    ReLU(first, first) >> Id(first, first)
    with open(sys.argv[0]) as file, memoryview(b"abc") as view:
        size = view.nbytes + len(file.read())
        Linear(3, 4, size) >> ReLU(3, size)


# ---- lambdas that build layers from their own parameter
Parameters = tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]


def mlp(n: Dim[N]) -> Layer[Parameters, Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


def lambdas(train: Train[Parameters], data: Batches[Mat[int, 64], Ids[int]]) -> None:
    fit(train, mlp, lambda n: CrossEntropy(n, 10), data, 3)
    fit(train, lambda n: mlp(n), lambda rows: CrossEntropy(rows, 10), data, 3)
    fit(train, lambda n: LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10), partial(CrossEntropy, c=10), data, 3)
    fit(train, lambda n: mlp(n) if n > 3 else mlp(n), lambda n: CrossEntropy(n, 10), data, 3)
    seq: Callable[[int], Layer[Any, Mat[int, 4], Mat[int, 5], Any]] = lambda n: Seq(Linear(n, 4, 5), ReLU(n, 5))
    pair: Callable[[int], tuple[object, object]] = lambda n: (Linear(n, 4, 5), ReLU(n, 5) >> ReLU(n, 5))


# ---- methods and fields
class Model:
    """Layers in the attributes and methods of a class."""

    depth: Final = 4

    def __init__(self, width: int) -> None:
        self.width: Final = width
        self.up = Linear(3, 4, 5)

    def layers(self, n: Dim[N]) -> Layer[tuple[Lin[4, 5], Unit], Mat[N, 4], Mat[N, 5], Any]:
        return Linear(n, 4, 5) >> ReLU(n, 5)

    def own(self, n: Dim[N]) -> Layer[Any, Mat[N, 4], Mat[N, 5], Any]:
        return Linear(n, self.depth, self.width) >> ReLU(n, self.width) >> Linear(n, self.width, 5)

    @staticmethod
    def plain(n: Dim[N]) -> Layer[Lin[4, 5], Mat[N, 4], Mat[N, 5], Mat[N, 4]]:
        return Linear(n, 4, 5)


width_of_the_run = int(sys.argv[1])


class OfTheRun:
    """A size that is read once for all objects, and one that is read for each."""

    def __init__(self, own: int) -> None:
        self.shared = ReLU(3, width_of_the_run)
        self.own = ReLU(3, own)
        self.own >> ReLU(3, own)
        self.untyped: Layer[Any, Any, Any, Any] = self.own

    def together(self) -> object:
        return self.shared >> ReLU(3, width_of_the_run) >> self.untyped


OfTheRun(3).shared >> OfTheRun(4).shared >> Linear(3, width_of_the_run, 2)


class Widths(NamedTuple):
    """Sizes that cannot be assigned."""

    inner: int
    outer: int


@dataclass(frozen=True)
class Config:
    """A field of fields."""

    widths: Widths


@dataclass(frozen=True)
class Net(Generic[N, D]):
    """Layers in the fields of a dataclass."""

    first: Layer[Lin[D, "4*D"], Mat[N, D], Mat[N, "4*D"], Any]
    second: Layer[Lin["4*D", D], Mat[N, "4*D"], Mat[N, D], Any]

    def both(self) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
        return self.first >> self.second


def of_classes(n: Dim[N], d: Dim[D], model: Model, config: Config, widths: Widths) -> None:
    model.layers(n) >> ReLU(n, 5)
    model.up >> ReLU(3, 5)
    Model.plain(3) >> Linear(3, 5, 4) >> model.up
    Linear(n, 3, config.widths.inner) >> ReLU(n, config.widths.inner)
    Linear(n, 3, widths.outer) >> ReLU(n, widths.outer)
    net = Net(Linear(n, d, 4 * d), Linear(n, 4 * d, d))
    assert_type(net, Net[N, D])
    net.first >> net.second >> ReLU(n, d)
    assert_type(Repeat(3, net.both()), Layer[tuple[Any, ...], Mat[N, D], Mat[N, D], tuple[Any, ...]])


# ---- tuples, choices, keywords, aliases, re-exports, functions that return functions
def of_tuples(n: Dim[N], d: Dim[D], flag: bool) -> None:
    layers = (Linear(n, d, 5), ReLU(n, 5))
    first, second = layers
    layers[0] >> layers[1]
    first >> second
    assert_type(Seq(*layers).zeros(), tuple[Lin[D, 5], Unit])
    assert_type(Seq(*layers, *(second, second, second)).zeros()[1][1][1], tuple[Unit, Unit])
    activation = ReLU(n, 4) if flag else Id(n, 4)
    Linear(n, 3, 4) >> activation
    Linear(n, 3, 4) >> (Linear(n, 4, 5) if flag else LinearNB(n, 4, 5)) >> ReLU(n, 5)
    untyped: list[Layer[Any, Any, Any, Any]] = [first, second]
    Seq(*untyped)


Dense = Linear


def of_names(n: Dim[N]) -> None:
    Dense(n, 3, 4) >> bt.ReLU(c=4, n=n) >> bt.layers.Linear(n, o=2, i=4)
    dense = partial(Linear, n)
    assert_type(dense(3, 4), Layer[Lin[3, 4], Mat[N, 3], Mat[N, 4], Mat[N, 3]])
    Fork(f=dense(3, 4), g=dense(3, 5)) >> Both(g=ReLU(n, 5), f=ReLU(n, 4))


def maker(d: Dim[D]) -> Callable[[Dim[N]], Layer[Lin[D, D], Mat[N, D], Mat[N, D], Mat[N, D]]]:
    def make(n: Dim[N]) -> Layer[Lin[D, D], Mat[N, D], Mat[N, D], Mat[N, D]]:
        return Linear(n, d, d)

    return make


make = maker(7)
assert_type(make(3), Layer[Lin[7, 7], Mat[3, 7], Mat[3, 7], Mat[3, 7]])
