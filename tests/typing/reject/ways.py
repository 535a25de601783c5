"""The same ways to write a model, with sizes that do not fit or are not static."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Generic

import bendtorch as bt
from bendtorch import (
    CrossEntropy,
    Dim,
    Id,
    Ids,
    Layer,
    Lin,
    Linear,
    LinearFirst,
    Mat,
    ReLU,
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


def of_shapes(x: Mat[N, C]) -> None:
    n, c = x.shape
    ReLU(c, n).fwd((), x)  # E: Layer.fwd: "x" is Mat[N, C], the layer takes Mat[C, N]; turn it round with .T  [arg-type]
    ReLU(len(x), len(x)).fwd((), x)  # E: Layer.fwd: "x" is Mat[N, C], the layer takes Mat[N, N]  [arg-type]
    ReLU(x.shape[1], x.shape[0]).fwd((), x)  # E: Layer.fwd: "x" is Mat[N, C], the layer takes Mat[C, N]; turn it round with .T  [arg-type]


def swapped() -> None:
    a, b = sizes()
    Linear(a, 3, b) >> ReLU(b, a)  # E: >>: Linear gives Mat[a, b], ReLU takes Mat[b, a]  [bend-shape]
    Linear(a, 3, b) >> ReLU(a, 2 * b)  # E: >>: Linear gives Mat[a, b], ReLU takes Mat[a, 2*b]  [bend-shape]


def at_run_time(rows: list[int], flag: bool) -> None:
    Linear(len(rows), 3, 4)  # E: Linear: dimension "n" is not static; bind it to a name first, as in "n = len(rows)"  [bend-dim]
    ReLU(3, int(sys.argv[1]))  # E: ReLU: dimension "c" is not static; bind it to a name first, as in "c = int(sys.argv[1])"  [bend-dim]
    c, d = sizes()
    d += 1
    ReLU(c, d)  # E: ReLU: dimension "c" is not static: "d" is bound more than once; give each number a name of its own  [bend-dim]
    for e, _ in [sizes()]:
        f, _ = sizes()
    ReLU(e, f)  # E: ReLU: dimension "c" is not static: "f" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim] # E: ReLU: dimension "n" is not static: "e" is another number in each turn of the loop; use it in the loop, after it is bound  [bend-dim]


def rebound(flag: bool) -> None:
    a, b = sizes()
    if flag:
        b, a = sizes()
    ReLU(a, 3)  # E: ReLU: dimension "n" is not static: "a" is bound more than once; give each number a name of its own  [bend-dim]
    ReLU(3, b)  # E: ReLU: dimension "c" is not static: "b" is bound more than once; give each number a name of its own  [bend-dim]


# ---- lambdas that build layers from their own parameter
Parameters = tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]


def mlp(n: Dim[N]) -> Layer[Parameters, Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


def doubled(n: Dim[N]) -> Layer[Parameters, Mat["2*N", 64], Mat["2*N", 10], Any]:
    return mlp(2 * n)


def lambdas(train: Train[Parameters], data: Batches[Mat[int, 64], Ids[int]]) -> None:
    fit(train, lambda n: mlp(n), lambda n: CrossEntropy(n, 11), data, 3)  # E: fit: the model gives Mat[int, 10], "loss" gives Loss[Mat[int, 11], Ids[int]]  [bend-shape]
    fit(train, lambda n: Linear(n, 64, 10), lambda n: CrossEntropy(n, 10), data, 3)  # E: fit: "train" is Train[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]], the model has parameters Lin[64, 10]  [bend-shape]
    fit(train, lambda n: mlp(n), lambda n: CrossEntropy(10, n), data, 3)  # E: fit: "loss" gives Loss[Mat[10, int], Ids[10]], "data" is Batches[Mat[int, 64], Ids[int]]  [bend-shape] # E: fit: the model gives Mat[int, 10], "loss" gives Loss[Mat[10, int], Ids[10]]  [bend-shape]
    fit(train, lambda n: mlp(32), lambda n: CrossEntropy(n, 10), data, 3)  # E: fit: the model gives Mat[32, 10], "loss" gives Loss[Mat[int, 10], Ids[int]]  [bend-shape] # E: fit: the model takes Mat[32, 64], "data" is Batches[Mat[int, 64], Ids[int]]  [bend-shape]
    fit(train, lambda n: Linear(n, 64, 64) >> ReLU(n, 63), lambda n: CrossEntropy(n, 10), data, 3)  # E: >>: Linear gives Mat[n, 64], ReLU takes Mat[n, 63]  [bend-shape] # E: fit: "train" is Train[tuple[tuple[Lin[64, 64], Unit], Lin[64, 10]]], the model has parameters tuple[Lin[64, 64], Unit]  [bend-shape] # E: fit: the model gives Mat[int, 63], "loss" gives Loss[Mat[int, 10], Ids[int]]  [bend-shape]
    fit(train, doubled, lambda n: CrossEntropy(n, 10), data, 3)  # E: fit: the model gives Mat[2*int, 10], "loss" gives Loss[Mat[int, 10], Ids[int]]  [bend-shape] # E: fit: the model takes Mat[2*int, 64], "data" is Batches[Mat[int, 64], Ids[int]]  [bend-shape]
    fit(train, lambda n: mlp(2 * n), lambda n: CrossEntropy(2 * n, 10), data, 3)  # E: fit: the model takes Mat[2*int, 64], "data" is Batches[Mat[int, 64], Ids[int]]  [bend-shape]
    seam: Callable[[int], object] = lambda n: ReLU(n, 4) >> ReLU(n + 1, 4)  # E: >>: the left ReLU gives Mat[n, 4], the right ReLU takes Mat[n + 1, 4]  [bend-shape]
    untyped = lambda n: ReLU(n, 4)


# ---- methods and fields
class Model:
    """Layers in the attributes and methods of a class; its width may be assigned."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.up = Linear(3, 4, 5)

    def layers(self, n: Dim[N]) -> Layer[tuple[Lin[4, 5], Unit], Mat[N, 4], Mat[N, 5], Any]:
        return Linear(n, 4, 5) >> ReLU(n, 5)

    def own(self, n: Dim[N]) -> object:
        return ReLU(n, self.width)  # E: ReLU: dimension "c" is not static: "self.width" may change; bind it to a name first, as in "width = self.width", or make Model a frozen dataclass  [bend-dim]


class OfEach:
    """A size that is another one for each object."""

    def __init__(self, own: int, other: int) -> None:
        self.own = ReLU(3, own)
        self.own >> ReLU(3, other)  # E: >>: own gives Mat[3, own], ReLU takes Mat[3, other]  [bend-shape]

    def twice(self) -> object:
        return self.own >> self.own  # E: >>: the left own gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


OfEach(3, 3).own >> OfEach(4, 4).own  # E: >>: the left own gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


@dataclass(frozen=True)
class Net(Generic[N, D]):
    """Layers in the fields of a dataclass, and a width that is worked out anew each time."""

    first: Layer[Lin[D, "4*D"], Mat[N, D], Mat[N, "4*D"], Any]
    second: Layer[Lin["4*D", D], Mat[N, "4*D"], Mat[N, D], Any]

    @property
    def width(self) -> int:
        return int(sys.argv[1])

    def both(self) -> Layer[Any, Mat[N, D], Mat[N, D], Any]:
        return self.second >> self.second  # E: >>: the left second gives Mat[N, D], the right second takes Mat[N, 4*D]  [bend-shape]


def of_classes(n: Dim[N], d: Dim[D], model: Model, net: Net[N, D]) -> None:
    model.layers(n) >> ReLU(n, 6)  # E: >>: layers gives Mat[N, 5], ReLU takes Mat[N, 6]  [bend-shape]
    model.up >> ReLU(3, 6)  # E: >>: up gives Mat[3, 5], ReLU takes Mat[3, 6]  [bend-shape]
    net.second >> net.second  # E: >>: the left second gives Mat[N, D], the right second takes Mat[N, 4*D]  [bend-shape]
    ReLU(n, net.width)  # E: ReLU: dimension "c" is not static: "net.width" may change; bind it to a name first, as in "width = net.width"  [bend-dim]
    Net(Linear(n, d, 4 * d), Linear(n, 3 * d, d))  # E: Net: the second layer has parameters Lin[3*D, D], expected Lin[4*D, D]  [bend-shape] # E: Net: the second layer takes Mat[N, 3*D], expected Mat[N, 4*D]  [bend-shape]


# ---- tuples, choices, keywords, aliases
def of_tuples(n: Dim[N], d: Dim[D], flag: bool) -> None:
    layers = (Linear(n, d, 5), ReLU(n, 5))
    layers[1] >> layers[0]  # E: >>: the left layer gives Mat[N, 5], the right takes Mat[N, D]  [bend-shape]
    Seq(*layers, *layers)  # E: Seq: the second layer gives Mat[N, 5], the third takes Mat[N, D]  [bend-shape]
    Seq(*layers, *layers, *layers)  # E: Seq: the fourth layer gives Mat[N, 5], the fifth takes Mat[N, D]  [bend-shape] # E: Seq: the second layer gives Mat[N, 5], the third takes Mat[N, D]  [bend-shape]
    Linear(n, 3, 5) >> (ReLU(n, 4) if flag else Id(n, 4))  # E: >>: Linear gives Mat[N, 5], the right layer takes Mat[N, 4]  [bend-shape] # N: Right operand is of type "Layer[Unit, Mat[N, 4], Mat[N, 4], Mat[N, 4]] | Layer[Unit, Mat[N, 4], Mat[N, 4], Unit]"
    Linear(n, 3, 4) >> (Linear(n, 4, 5) if flag else Linear(n, 5, 4))  # E: >>: Linear gives Mat[N, 4], the right layer takes Mat[N, 5]  [bend-shape] # N: Right operand is of type "Layer[Lin[4, 5], Mat[N, 4], Mat[N, 5], Mat[N, 4]] | Layer[Lin[5, 4], Mat[N, 5], Mat[N, 4], Mat[N, 5]]"


Dense = Linear


def of_names(n: Dim[N]) -> None:
    Dense(n, 3, 4) >> bt.ReLU(n=n, c=5)  # E: >>: Dense gives Mat[N, 4], ReLU takes Mat[N, 5]  [bend-shape]
    dense = partial(Linear, n)
    dense(3, 4) >> ReLU(n, 5)  # E: >>: dense gives Mat[N, 4], ReLU takes Mat[N, 5]  [bend-shape]


# ---- models that grow in a loop
def loops(n: Dim[N], d: Dim[D]) -> None:
    net = Linear(n, d, d)
    for _ in range(3):
        net = net >> Linear(n, d, d)  # E: the value has parameters tuple[Lin[D, D], Lin[D, D]], declared Lin[D, D]; a model that grows in a loop has no one type, use Repeat(k, layer)  [assignment]
    stack = ReLU(n, d)
    for _ in range(3):
        stack >>= ReLU(n, d)  # E: the value has parameters tuple[Unit, Unit], declared Unit; a model that grows in a loop has no one type, use Repeat(k, layer)  [assignment]
    before = ReLU(n, d)
    for _ in range(3):
        before = ReLU(n, d) >> before  # E: the value has parameters tuple[Unit, Unit], declared Unit; a model that grows in a loop has no one type, use Repeat(k, layer)  [assignment]
    layers = [Linear(n, d, d) for _ in range(3)]
    Seq(*layers)  # E: Seq: the number of layers is not static; use Repeat(k, layer) for k layers of one kind, a tuple for different ones  [bend-dim]
    Seq(layers[0], *layers)  # E: Seq: the number of layers is not static; use Repeat(k, layer) for k layers of one kind, a tuple for different ones  [bend-dim]
    reduce(lambda a, b: a >> b, layers)  # E: reduce: argument 1 gives Layer[tuple[Lin[D, D], Lin[D, D]], Mat[N, D], Mat[N, D], tuple[Mat[N, D], Mat[N, D]]], expected Layer[Lin[D, D], Mat[N, D], Mat[N, D], Mat[N, D]]  [arg-type] # E: the returned value has parameters tuple[Lin[D, D], Lin[D, D]], declared Lin[D, D]; a model that grows in a loop has no one type, use Repeat(k, layer)  [return-value]
