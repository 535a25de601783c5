"""Names and fields whose value may differ between two uses: none of them may pass for one size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from bendtorch import Dim, Linear, ReLU
from bendtorch.shapes.dims import N

T = TypeVar("T")
U = TypeVar("U")


def number() -> int:
    raise NotImplementedError


def pair() -> tuple[int, int]:
    raise NotImplementedError


# ---- assigned again
counter = number()


def by_global() -> None:
    global counter
    counter = number()


def reads_global() -> None:
    ReLU(3, counter)  # E: ReLU: dimension "c" is not static: "counter" is bound more than once; give each number a name of its own  [bend-dim]


def augmented(k: int, n: Dim[N]) -> None:
    first = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]
    k += 1
    first >> ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]
    n += 1  # E: Incompatible types in assignment (expression has type "int", variable has type "N")  [assignment]


def deleted() -> None:
    k = number()
    del k
    k = number()
    ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]


def swapped(a: int, b: int) -> None:
    a, b = b, a
    ReLU(3, a) >> ReLU(3, b)  # E: ReLU: dimension "c" is not static: "a" is bound more than once; give each number a name of its own  [bend-dim] # E: ReLU: dimension "c" is not static: "b" is bound more than once; give each number a name of its own  [bend-dim]


def tried() -> None:
    try:
        k = number()
    except ValueError:
        k = 7
    ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]


def chosen(flag: bool) -> None:
    if flag:
        k = 3
    else:
        k = 4
    ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]


def entered(files: Any) -> None:
    with files as k, files as m:
        ReLU(3, k) >> ReLU(3, m)  # E: ReLU: dimension "c" is not static: the type of "k" is not known; declare it int  [bend-dim] # E: ReLU: dimension "c" is not static: the type of "m" is not known; declare it int  [bend-dim]
    with files as k:
        pass


def by_nonlocal(k: int) -> None:
    def change() -> None:
        nonlocal k
        k = 7

    ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]


def literals(flag: bool) -> None:
    k = 3
    first = ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]
    if flag:
        k = 4
    first >> ReLU(3, k)  # E: ReLU: dimension "c" is not static: "k" is bound more than once; give each number a name of its own  [bend-dim]


# ---- two of one name
def outer(k: int) -> None:
    first = ReLU(3, k)

    def inner(k: int) -> None:
        first >> ReLU(3, k)  # E: >>: first gives Mat[3, k], ReLU takes Mat[3, k]; "k" of line 97 is not "k" of line 100  [bend-shape]

    class Body:
        k = number()
        second = first >> ReLU(3, k)  # E: >>: first gives Mat[3, k], ReLU takes Mat[3, k]; "k" of line 97 is not "k" of line 104  [bend-shape]


width = number()


class OfClass:
    """A class body's own name, where one outside is called the same."""

    first = ReLU(3, width)
    width = number()
    second = first >> ReLU(3, width)  # E: >>: first gives Mat[3, width], ReLU takes Mat[3, width]; these are two sizes of one name  [bend-shape]


def applied(f: Callable[[T, int], U], x: T) -> U:
    raise NotImplementedError


def on_one_line() -> None:
    both: Callable[[int], object] = lambda n: applied(lambda first, n: first >> ReLU(3, n), ReLU(3, n))  # E: >>: first gives Mat[3, n], ReLU takes Mat[3, n]; these are two sizes of one name  [bend-shape]
    apart: Callable[[int], Callable[[int], object]] = lambda n: lambda m: ReLU(3, n) >> ReLU(3, m)  # E: >>: the left ReLU gives Mat[3, n], the right ReLU takes Mat[3, m]  [bend-shape]


# ---- items of tuples and arguments behind stars
def unpacked(t: tuple[int, int], *sizes: int, **named: int) -> None:
    a, b = t
    c, d = b, a
    Linear(3, a, b) >> ReLU(3, c)
    (e, f), g = pair(), 3
    ReLU(3, e) >> ReLU(3, f)  # E: >>: the left ReLU gives Mat[3, e], the right ReLU takes Mat[3, f]  [bend-shape]
    Linear(o=4, i=5, n=3) >> ReLU(3, 5)  # E: >>: Linear gives Mat[3, 4], ReLU takes Mat[3, 5]  [bend-shape]
    ReLU(*sizes)  # E: ReLU: dimension "n" is not static: *sizes may have any length; unpack it first, as in "n, c = sizes"  [bend-dim]
    ReLU(3, sizes[0]) >> ReLU(3, sizes[1])  # E: >>: the left ReLU gives Mat[3, sizes[0]], the right ReLU takes Mat[3, sizes[1]]  [bend-shape]
    ReLU(**named)  # E: ReLU: dimension "n" is not static; give a number, a Final, a name bound once, or a parameter typed by a dimension variable  [bend-dim]


# ---- made by a lambda that is called more than once
def twice(f: Callable[[int], T]) -> tuple[T, T]:
    return f(3), f(4)


def of_lambdas() -> None:
    a, b = twice(lambda n: ReLU(3, n))
    a >> b  # E: >>: a gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    c, d = twice(lambda n: [ReLU(3, n)])
    c[0] >> d[0]  # E: >>: the left layer gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    e, f = twice(lambda n: {"layer": ReLU(3, n)})
    e["layer"] >> f["layer"]  # E: >>: the left layer gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    g, h = twice(lambda n: [ReLU(3, n) for _ in range(3)])
    g[0] >> h[0]  # E: >>: the left layer gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    i, j = twice(lambda n: (layer := ReLU(3, n)))
    i >> j  # E: >>: i gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    k, m = twice(lambda n: (ReLU(3, n), 1)[0])
    k >> m  # E: >>: k gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]
    o, p = twice(lambda n: Linear(3, n, n).zeros)
    Linear(3, 4, 4).fwd(o(), p)  # E: Layer.fwd: "p" is Lin[int, int], expected Lin[4, 4]  [arg-type] # E: Layer.fwd: "x" is Callable[[], Lin[int, int]], the layer takes Mat[3, 4]  [arg-type]
    q, r = map(lambda n: {ReLU(3, n)}, [3, 4])
    q.pop() >> r.pop()  # E: >>: the left pop gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


# ---- fields
@dataclass(frozen=True)
class Config:
    """Its fields are fixed; what belongs to the class is not."""

    width: int
    kinds: ClassVar[int] = 3
    plain = 4


class Wider(Config):
    """Not a dataclass itself: its field may be assigned."""

    extra: int = 3


class Pair(NamedTuple):
    """Two sizes."""

    a: int
    b: int


class Triple(Pair):
    """The same for a named tuple."""

    extra: int = 3


def of_fields(one: Config, two: Config, wider: Wider, three: Triple, p: Pair) -> None:
    ReLU(3, one.width) >> ReLU(3, two.width)  # E: ReLU: dimension "c" is not static: "two" is bound more than once; give each number a name of its own  [bend-dim]
    ReLU(3, p.a) >> ReLU(3, p.b)  # E: >>: the left ReLU gives Mat[3, p.a], the right ReLU takes Mat[3, p.b]  [bend-shape]
    ReLU(3, wider.extra)  # E: ReLU: dimension "c" is not static: "wider.extra" may change; bind it to a name first, as in "extra = wider.extra", or make Wider a frozen dataclass  [bend-dim]
    ReLU(3, three.extra)  # E: ReLU: dimension "c" is not static: "three.extra" may change; bind it to a name first, as in "extra = three.extra"  [bend-dim]
    ReLU(3, one.kinds)  # E: ReLU: dimension "c" is not static: "one.kinds" may change; bind it to a name first, as in "kinds = one.kinds"  [bend-dim]
    ReLU(3, one.plain)  # E: ReLU: dimension "c" is not static: "one.plain" may change; bind it to a name first, as in "plain = one.plain"  [bend-dim]
    first = ReLU(3, two.width)  # E: ReLU: dimension "c" is not static: "two" is bound more than once; give each number a name of its own  [bend-dim]
    two = one
    first >> ReLU(3, two.width)  # E: ReLU: dimension "c" is not static: "two" is bound more than once; give each number a name of its own  [bend-dim]


class Model:
    """Each object has a width of its own, and so has each call of a method."""

    def __init__(self, own: int, other: Model) -> None:
        self.early = ReLU(3, own)
        other.early >> self.early  # E: >>: the left early gives Mat[3, int], the right early takes Mat[3, own]  [bend-shape]
        self.early >> other.early  # E: >>: the left early gives Mat[3, own], the right early takes Mat[3, int]  [bend-shape]


class Setter:
    """A field whose type comes from a method that may be called often."""

    def set(self, k: int) -> None:
        self.net = ReLU(3, k)

    def get(self, k: int) -> object:
        return self.net >> ReLU(3, k)  # E: >>: net gives Mat[3, int], ReLU takes Mat[3, k]  [bend-shape]

    def again(self, k: int) -> None:
        before = self.net
        self.set(k)
        before >> self.net  # E: >>: before gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


def of_patterns(one: Model, two: Model) -> None:
    match one, two:
        case Model(early=a), Model(early=b):
            a >> b  # E: >>: a gives Mat[3, int], a shape that is not static; declare the layer with its sizes  [bend-dim]


if len(sys.argv) > 1:
    chosen_size = 3
else:
    chosen_size = 4
ReLU(3, chosen_size)  # E: ReLU: dimension "c" is not static: "chosen_size" is bound more than once; give each number a name of its own  [bend-dim]
