"""Laws of composition: two composites of the same layers, forward and backward, up to how they are nested.

Each side names, in its dump order, the layers it is made of; both get equal parameters layer by layer and equal arrays
in order, and their results are compared in order: the gradient of a layer that is used twice is the sum over its uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.neighbours import known
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.sides import Side, side, slack_of
from bendtorch.laws.trial import EVERY, ORDINARY, AnyLayer, Trial, filled, parameters
from bendtorch.shapes.spec import Spec

ALL: Final = ("y", "dx", "dp")


@dataclass(frozen=True)
class Composite:
    """One side: a layer, and which of the law's layers its parameters are, in dump order."""

    name: str
    layer: AnyLayer
    order: tuple[int, ...]


@dataclass(frozen=True)
class Equation:
    """Both sides, the layers they are made of, and whether sums are taken in another order (`close`)."""

    left: Composite
    right: Composite
    layers: tuple[AnyLayer, ...]
    close: bool = False


Build: TypeAlias = Callable[[Trial], Iterator[Equation]]
"""The equations of a law in which the layer of a trial stands."""


def equal(layers: tuple[AnyLayer, ...], *sides: Any, close: bool = False) -> Equation:
    """The equation of two sides, each given as its name, its layer, and the order of the law's layers in it."""
    one, two = (Composite(name, layer, order) for name, layer, order in (sides[:3], sides[3:]))
    return Equation(one, two, layers, close)


def holds(build: Build, parts: tuple[str, ...] = ALL) -> Callable[[Trial], Difference | None]:
    """The comparison of a law: the first of its equations that does not hold."""

    def compare(trial: Trial) -> Difference | None:
        try:
            equations = list(build(trial))
        except ConfigError as error:  # it gives no gradient of its input, so that it cannot stand there
            raise NotHereError(str(error)) from error
        found = (compared(trial, equation, parts) for equation in equations)
        return next((difference for difference in found if difference is not None), None)

    return compare


def composition(
    number: str, name: str, statement: str, build: Build, of: tuple[str, ...], parts: tuple[str, ...] = ALL
) -> Law:
    """A law of composition: exact, on any numbers."""
    return Law(number, name, statement, EXACT, holds(build, parts), EVERY, WHEN, of, hint=HINT, proved=PROVED)


def reassociating(number: str, name: str, statement: str, build: Build, of: tuple[str, ...]) -> Law:
    """A law of composition that sums gradients in another order: close."""
    return Law(number, name, statement, CLOSE, holds(build), ORDINARY, WHEN, of, hint=HINT, proved=PROVED)


WHEN: Final = "the layer can stand in it"
HINT: Final = "the combinator hands a value, a saved value or a gradient to the wrong part"
PROVED: Final = "proved for all layers by running the combinators on symbols"


def nested(spec: Spec, arrays: Sequence[Any]) -> Any:
    """Arrays, in order, in a nest like a spec."""
    left = iter(arrays)

    def build(part: Spec) -> Any:
        return tuple(map(build, part)) if isinstance(part, tuple) else next(left)

    return build(spec)


def compared(trial: Trial, equation: Equation, parts: tuple[str, ...]) -> Difference | None:
    """Where the two sides of an equation differ in some of y, dx and dp."""
    left, right, layers = equation.left, equation.right, equation.layers
    generator = trial.generator()
    takes, gives = known(left.layer.info.takes), known(left.layer.info.gives)
    flats = [layer.dump(parameters(layer, generator, trial.kind)) for layer in layers]
    x, dy = (arrays_in(filled(spec, generator, trial.kind)) for spec in (takes, gives))
    one, two = (_results(composite, layers, flats, x, dy, parts) for composite in (left, right))
    return differ(left.name, one, right.name, two, slack_of(trial, (one, two)) if equation.close else None)


def _results(
    one: Composite,
    layers: Sequence[AnyLayer],
    flats: Sequence[Any],
    x: list[Any],
    dy: list[Any],
    parts: tuple[str, ...],
) -> Side:
    """Some `parts` of the results: y and dx as arrays in order, dp layer by layer."""
    layer = one.layer
    p = layer.zeros()
    layer.load(p, np.concatenate([np.empty(0, np.float32), *(flats[i] for i in one.order)]), 0)
    forward = layer.fwd(p, nested(known(layer.info.takes), x))
    back = layer.bwd(p, forward.s, nested(known(layer.info.gives), dy), layer.zeros())
    flat, start = layer.dump(back.g), 0
    totals = [np.zeros(inner.count(), np.float32) for inner in layers]
    for i in one.order:
        end = start + layers[i].count()
        totals[i], start = totals[i] + flat[start:end], end
    results = {"y": arrays_in(forward.y), "dx": arrays_in(back.dx), "dp": totals}
    return side({name: results[name] for name in parts})
