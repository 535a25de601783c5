"""Ten mistakes that one makes in a layer of one's own: the law that finds each, and the words that name its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import Bwd, Fwd, make_layer
from bendtorch.errors import LawError
from bendtorch.laws import check
from bendtorch.layer import Info, no_params
from bendtorch.shapes.spec import mat_spec
from tests.support.mutants import affine, mutant


def elementwise(
    name: str, f: Callable[[Any], Any], d: Callable[[Any, Any], Any], saves: Callable[[Any, Any], Any]
) -> Any:
    """A layer y = f(x), dx = d(dy, s), that saves something of x and y."""

    def maker(n: int, c: int) -> Any:
        def fwd(p: Any, x: Any) -> Any:
            y = f(x)
            return Fwd(y, saves(x, y))

        spec = mat_spec(n, c)
        info = Info(name, {"n": n, "c": c}, spec, spec, spec)
        return make_layer(no_params(), fwd, lambda p, s, dy, g: Bwd(d(dy, s), g), info)

    return maker


def loading_backwards(n: int, i: int, o: int) -> Any:
    """A layer whose load reads the bias first, whose dump writes the weight first."""
    layer = affine(n, i, o)

    def load(p: Any, flat: Any, at: int) -> int:
        p.bias[...] = flat[at : at + o].reshape(1, o)
        p.weight[...] = flat[at + o : at + o + i * o].reshape(o, i)
        return at + o + i * o

    return replace(layer, load=load)


def counting_one_less(n: int, i: int, o: int) -> Any:
    layer = affine(n, i, o)
    return replace(layer, count=lambda: i * o + o - 1)


@dataclass(frozen=True)
class Mistake:
    """A layer with a mistake, and what the first paragraph says of it: its beginning, the place, and the advice."""

    maker: Any
    breaks: str
    place: str
    advice: str


MISTAKES: Final = {
    "it overwrites the gradient instead of adding to it": Mistake(
        mutant("g is overwritten"),
        "breaks L32 (gradients accumulate; exact)",
        "at g.weight[0, 0], the gradient returned gives 0.0 and g + B(x, dy) for each call gives 1.0",
        "bwd adds into the arrays of g (+=) and gives g back; it neither overwrites nor replaces them",
    ),
    "it returns dx transposed": Mistake(
        mutant("dx is transposed"),
        "breaks L25 (gradients have the types of values; exact)",
        "at the type of dx, dx gives float32[1, 0] and x gives float32[0, 1]",
        "a product may be transposed",
    ),
    "it saves x where its formula needs y": Mistake(
        elementwise("MyTanh", np.tanh, lambda dy, s: dy * (1 - s * s), saves=lambda x, y: x),
        "breaks L27 (gradients agree with central differences; close)",
        "at dx[0, 0], B(x, dy) gives 0.0 and F's difference gives 0.41",
        "dx is the derivative where bwd is given y in the place of s: "
        "the forward pass saves another value than the formula needs",
    ),
    "it changes x": Mistake(
        mutant("x is changed"),
        "breaks L33 (the passes are pure; exact)",
        "at x[0, 0], after the passes gives 2.0 and before them gives 1.0",
        "an operation in place (*=, out=), a buffer that is used again",
    ),
    "it takes the mean over the rows": Mistake(
        mutant("a mean in place of a sum"),
        "breaks L27",
        "at dp.bias[0, 0], B(x, dy) gives 0.5 and F's difference gives 1 ±",
        "dp.bias is the derivative divided by the number of rows: a mean where a sum belongs",
    ),
    "it broadcasts one sum over the bias": Mistake(
        lambda n, i, o: affine(n, i, o, ending=lambda db, dy: np.full_like(db, dy.sum())),
        "breaks L27",
        "at dp.bias[0, 0], B(x, dy) gives 1.0 and F's difference gives 0 ±",
        "dp.bias has the sum of the whole derivative in every place: it is summed over one axis too many and broadcast",
    ),
    "it misses a factor of 2": Mistake(
        elementwise("Square", np.square, lambda dy, s: dy * s, saves=lambda x, y: x),
        "breaks L27",
        "at dx[0, 0], B(x, dy) gives 1.0 and F's difference gives 2 ±",
        "dx is half the derivative everywhere: a factor of 2 is missing",
    ),
    "its forward pass gives something else each time": Mistake(
        mutant("another result each time"),
        "breaks L33",
        "at y[0, 0], a second call gives ",
        "random numbers without a key",
    ),
    "its count is off by one": Mistake(
        counting_one_less,
        "breaks L48 (count is additive; exact)",
        "at the count, count() gives 1 and the length of dump(p) gives 2",
        "count leaves out a number of the parameters",
    ),
    "it loads in another order than it dumps": Mistake(
        loading_backwards,
        "breaks L46 (load inverts dump; exact)",
        "at p.weight[0, 0], load(dump(p)) gives 1.0 and p gives 0.0",
        "load reads the arrays in another order than dump writes them",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_typical_mistake_is_caught_and_its_place_is_named(mistake: Mistake) -> None:
    with pytest.raises(LawError) as raised:
        check(mistake.maker, cases=40)
    first = str(raised.value).split("\n\n", maxsplit=1)[0]
    for text in (mistake.breaks, mistake.place, mistake.advice):
        assert text in first


def test_there_are_ten() -> None:
    assert len(MISTAKES) == 10
