"""L26 and L28: the derivative J of the forward pass along a direction, against the backward pass and in a chain.

J v is what a central difference gives along v, a direction in all numbers of x and p at once, with the steps and the
judgement of L27.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.laws.differences import RELATIVE, STEP, TURNS, slope_of
from bendtorch.laws.law import CLOSE, LAYER, LOSS, Difference, Law, NotHereError
from bendtorch.laws.neighbours import after, known
from bendtorch.laws.nest import Array, arrays_in, floats_in, rebuilt
from bendtorch.laws.trial import Generator, Trial, filled, parameters

Moving = Callable[[float], Any]
"""A value as a function of how far one has gone along a direction."""


def direction(value: Any, generator: Generator) -> list[Array]:
    """A random direction for each array of a nest; ids and counters stay where they are."""

    def along(array: Array) -> Array:
        if array.dtype.kind != "f":
            return np.zeros_like(array)
        return np.asarray(generator.standard_normal(array.shape, np.float32))

    return [along(array) for array in arrays_in(value)]


def moved(value: Any, along: list[Array], by: float) -> Any:
    """A nest gone some way along a direction."""
    pairs = zip(arrays_in(value), along, strict=True)
    return rebuilt(value, [a + np.float32(by) * v if a.dtype.kind == "f" else a for a, v in pairs])


def derivative(dy: Any, at: Moving) -> tuple[float, float]:
    """⟨dy, J v⟩ of F along a direction, and how far it may be off; refuses where differences cannot tell."""
    outputs = {k: floats_in(at(k * STEP)) for k in TURNS}
    found = slope_of(floats_in(dy), {k: k * STEP for k in TURNS}, outputs, STEP)
    if found is None:
        raise NotHereError("it is not smooth enough along the direction that was drawn")
    return found


def _product(one: list[Array], other: list[Array]) -> tuple[float, float]:
    """The inner product of two lists of arrays, and the sum of its terms' magnitudes."""
    terms = [a.astype(np.float64) * b for a, b in zip(one, other, strict=True)]
    return sum(float(np.sum(t)) for t in terms), sum(float(np.sum(np.abs(t))) for t in terms)


def _adjoint(trial: Trial) -> Difference | None:
    generator, layer = trial.generator(26), trial.layer
    at_x, at_p = direction(trial.x, generator), direction(trial.p, generator)
    if not layer.info.input_gradient:
        at_x = [np.zeros_like(v) for v in at_x]
    if not any(v.any() for v in (*at_x, *at_p)):
        raise NotHereError("neither its input nor its parameters are numbers")
    slope, slack = derivative(trial.dy, lambda t: layer.fwd(moved(trial.p, at_p, t), moved(trial.x, at_x, t)).y)
    back = trial.backward(trial.x, trial.dy)
    along = [v for v, a in zip((*at_p, *at_x), arrays_in((trial.p, trial.x)), strict=True) if a.dtype.kind == "f"]
    gradient = floats_in((back["dp"], back.get("dx", trial.x)))
    product, size = _product(along, gradient)
    slack += RELATIVE * size if np.isfinite(size) else 0.0
    if abs(product - slope) <= slack:
        return None
    return Difference(
        "the inner product", "⟨v, B d⟩", f"{product:.6g}", "⟨J v, d⟩ by F's difference", f"{slope:.6g} ± {slack:.1g}"
    )


def _chains(trial: Trial) -> Difference | None:
    generator, f = trial.generator(28), trial.layer
    g = after(f.info.gives, generator)
    try:
        whole = f >> g
    except ConfigError as error:
        raise NotHereError(str(error)) from error
    q, d = parameters(g, generator, trial.kind), filled(known(g.info.gives), generator, trial.kind)
    along = direction(trial.x, generator)
    if not any(v.any() for v in along):
        raise NotHereError("its input has no numbers")
    slope, slack = derivative(d, lambda t: whole.fwd((trial.p, q), moved(trial.x, along, t)).y)
    y = {k: f.fwd(trial.p, moved(trial.x, along, k * STEP)).y for k in (-1, 0, 1)}
    pushed = [
        (a - b) / np.float32(2 * STEP) if a.dtype.kind == "f" else np.zeros_like(a)
        for a, b in zip(arrays_in(y[1]), arrays_in(y[-1]), strict=True)
    ]
    chained, more = derivative(d, lambda t: g.fwd(q, moved(y[0], pushed, t)).y)
    slack += more + RELATIVE * max(abs(slope), abs(chained))
    if abs(slope - chained) <= slack:
        return None
    return Difference("⟨d, J v⟩", "J of f;g", f"{slope:.6g}", "J_g after J_f", f"{chained:.6g} ± {slack:.1g}")


ADJOINT: Final = Law(
    "L26",
    "the backward pass is the adjoint of the derivative",
    "⟨J v, d⟩ = ⟨v, B d⟩ along directions v of x and p together",
    CLOSE,
    _adjoint,
    ("ordinary",),
    "the forward pass is smooth along the direction",
    subjects=(LAYER, LOSS),
    hint="a gradient that is right in some places and wrong in others; L27 names a place",
)
CHAIN_RULE: Final = Law(
    "L28",
    "derivatives chain",
    "J of f;g is J_g after J_f",
    CLOSE,
    _chains,
    ("ordinary",),
    "both are smooth along the direction",
    hint="the forward pass of the chain is not that of its parts one after another",
)
