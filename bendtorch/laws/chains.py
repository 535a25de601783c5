"""L1 to L5, L19 to L21, L23 and L30: layers one after another, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bendtorch.combine.fork import Fork
from bendtorch.combine.repeat import Repeat
from bendtorch.combine.residual import Residual
from bendtorch.combine.seq import Seq
from bendtorch.combine.tie import Tie
from bendtorch.combine.wiring import wire
from bendtorch.laws.equation import Equation, composition, equal, reassociating
from bendtorch.laws.law import Law, NotHereError
from bendtorch.laws.neighbours import adding, after, before, identity, known, mat_of, mat_or_none
from bendtorch.laws.nest import arrays_in, mapped, rebuilt
from bendtorch.laws.trial import AnyLayer, Trial
from bendtorch.layer import Bwd, Fwd
from bendtorch.layer.variant import Copy
from bendtorch.layers.linear import Linear
from bendtorch.shapes.spec import ArraySpec

# Sizes are known only at run time.
_linear: Any = Linear
_residual: Any = Residual


def by_hand(f: AnyLayer, g: AnyLayer) -> AnyLayer:
    """f, then g, written out."""

    def fwd(p: Any, x: Any) -> Any:
        one = f.fwd(p[0], x)
        two = g.fwd(p[1], one.y)
        return Fwd(two.y, (one.s, two.s))

    def bwd(p: Any, s: Any, dz: Any, gradient: Any) -> Any:
        two = g.bwd(p[1], s[1], dz, gradient[1])
        one = f.bwd(p[0], s[0], two.dx, gradient[0])
        return Bwd(one.dx, (one.g, two.g))

    return replace(f >> g, fwd=fwd, bwd=bwd)


def associative(trial: Trial) -> Iterator[Equation]:
    """L1."""
    g = trial.layer
    f, h = before(g.info.takes, trial.generator(1), g.info.input_gradient), after(g.info.gives, trial.generator(2))
    left, order = (f >> g) >> h, (0, 1, 2)
    yield equal((f, g, h), "(f;g);h", left, order, "f;(g;h)", f >> (g >> h), order)
    yield equal((f, g, h), "(f;g);h", left, order, "Seq(f, g, h)", Seq(f, g, h), order)


def neutral(trial: Trial) -> Iterator[Equation]:
    """L2."""
    f = trial.layer
    one, two = identity(known(f.info.takes)), identity(known(f.info.gives))
    yield equal((f,), "Id;f", one >> f, (0,), "f", f, (0,))
    yield equal((f,), "f;Id", f >> two, (0,), "f", f, (0,))


def composed(trial: Trial) -> Iterator[Equation]:
    """L3, L4 and L5, each of its part of the results."""
    f = trial.layer
    first, last = (
        before(f.info.takes, trial.generator(1), f.info.input_gradient),
        after(f.info.gives, trial.generator(2)),
    )
    for one, two in ((f, last), (first, f)):
        yield equal((one, two), "f;g", one >> two, (0, 1), "f, then g, by hand", by_hand(one, two), (0, 1))


def _keeps_shape(layer: AnyLayer) -> ArraySpec:
    """The matrix that a layer both takes and gives."""
    spec = mat_or_none(layer.info.takes)
    if spec is None or spec != layer.info.gives:
        raise NotHereError("it gives another shape than it takes")
    return spec


def residual(trial: Trial) -> Iterator[Equation]:
    """L19."""
    whole = trial.layer
    f = whole.info.parts[0] if whole.info.name == "Residual" else whole
    spec = _keeps_shape(f)
    whole = whole if whole is not f else _residual(f)

    def fwd(p: Any, x: Any) -> Any:
        forward = f.fwd(p, x)
        return Fwd(x + forward.y, forward.s)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        back = f.bwd(p, s, dy, g)
        return Bwd(dy + back.dx, back.g)

    forks = Fork(identity(spec), f) >> adding(spec)
    yield equal((f,), "Residual(f)", whole, (0,), "Fork(Id, f);Add2", forks, (0,))
    yield equal((f,), "Residual(f)", whole, (0,), "x + f(x), dx = dy + B_f", replace(f, fwd=fwd, bwd=bwd), (0,))


def residual_of_zero(trial: Trial) -> Iterator[Equation]:
    """L20; a zero is added, so that -0 becomes +0."""
    spec = mat_of(trial)
    zero = np.zeros(spec.shape, np.float32)
    nothing = wire("Zero", {}, spec, spec, lambda x: zero, lambda dy: zero)
    yield equal((), "Residual(0)", _residual(nothing), (), "Id", identity(spec), (), close=True)


def tied(trial: Trial) -> Iterator[Equation]:
    """L21."""
    f = trial.layer
    if f.info.name == "Tie":
        first, mid, last = f.info.parts
        whole = f
    else:
        one, two = mat_or_none(f.info.takes), mat_or_none(f.info.gives)
        if one is None or two is None or one.shape[0] != two.shape[0]:
            raise NotHereError("it does not take and give rows of one batch")
        first = last = f
        mid = _linear(two.shape[0], two.shape[1], one.shape[1])
        whole = Tie(first, mid, last)
    loose = first >> mid >> last
    yield equal((first, mid), "Tie(f, m, f)", whole, (0, 1), "f;m;f", loose, (0, 1, 0), close=True)


def repeated(trial: Trial) -> Iterator[Equation]:
    """L23; each copy draws random numbers of its own."""
    whole = trial.layer
    f = whole.info.parts[0] if whole.info.name == "Repeat" else whole
    k = whole.info.sizes["k"] if whole is not f else 1 + trial.seed % 3
    if f.info.takes != f.info.gives:
        raise NotHereError("it gives another shape than it takes")
    whole = whole if whole is not f else Repeat(k, f)
    layers = tuple(f.variant(Copy(i)) if f.varies else f for i in range(k))
    chain = Seq(*layers) if k > 1 else layers[0]
    order = tuple(range(k))
    yield equal(layers, f"Repeat({k}, f)", whole, order, "f;…;f", chain, order)


def summed(trial: Trial) -> Iterator[Equation]:
    """L30."""
    f = trial.layer
    gives = known(f.info.gives)
    whole = Fork(f, f) >> adding(gives)

    def total(one: Any, two: Any) -> Any:
        pairs = zip(arrays_in(one), arrays_in(two), strict=True)
        return rebuilt(one, [a + b if a.dtype.kind == "f" else a for a, b in pairs])

    def fwd(p: Any, x: Any) -> Any:
        (one, two), _ = p
        first, second = f.fwd(one, x), f.fwd(two, x)
        return Fwd(total(first.y, second.y), (first.s, second.s))

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        (one, two), unit = p
        first = f.bwd(one, s[0], dy, g[0][0])
        second = f.bwd(two, s[1], mapped(np.copy, dy), g[0][1])
        return Bwd(total(first.dx, second.dx), ((first.g, second.g), unit))

    hand = replace(whole, fwd=fwd, bwd=bwd)
    yield equal((f, f), "f + g", whole, (0, 1), "B_f + B_g", hand, (0, 1), close=True)


CHAINS: Final[tuple[Law, ...]] = (
    composition("L1", "composition is associative", "(f;g);h ≡ f;(g;h)", associative, ("Seq",)),
    composition("L2", "the identity is neutral", "Id;f ≡ f ≡ f;Id", neutral, ("Seq", "Id")),
    composition(
        "L3", "the forward pass of Seq is composition", "F of f;g is F of g after F of f", composed, ("Seq",), ("y",)
    ),
    composition(
        "L4",
        "the backward pass of Seq is composition backwards",
        "B of f;g at (x, d) is B_f(x, B_g(F x, d))",
        composed,
        ("Seq",),
        ("dx",),
    ),
    composition(
        "L5", "the gradient of Seq is the pair", "dp of f;g is dp of f and dp of g", composed, ("Seq",), ("dp",)
    ),
    composition(
        "L19",
        "a residual layer adds its input",
        "Residual f ≡ Fork(Id, f);Add2, and dx = dy + B_f",
        residual,
        ("Residual",),
    ),
    reassociating("L20", "the residual of zero is the identity", "Residual 0 ≡ Id", residual_of_zero, ("Residual",)),
    reassociating(
        "L21",
        "a tied gradient is the sum over the uses",
        "Tie(f, m, f) ≡ f;m;f with one parameter, whose gradient is the sum",
        tied,
        ("Tie",),
    ),
    composition("L23", "Repeat is a chain", "Repeat(k, f) ≡ f;…;f, k times", repeated, ("Repeat",)),
    replace(
        reassociating(
            "L30", "the backward pass of a sum is the sum", "B of f + g is B_f + B_g", summed, ("Add2", "Fork")
        ),
        proved="",
    ),
)
