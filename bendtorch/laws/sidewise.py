"""L6 to L11, L16 and L22: layers side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bendtorch.combine.both import Both
from bendtorch.combine.fork import Fork
from bendtorch.combine.wiring import Assoc, wire
from bendtorch.laws.equation import Equation, composition, equal, reassociating
from bendtorch.laws.law import Law
from bendtorch.laws.neighbours import after, before, copying, identity, known, mat_or_none, swapping
from bendtorch.laws.trial import AnyLayer, Trial

# Sizes are known only at run time.
_assoc: Any = Assoc


def both_identities(trial: Trial) -> Iterator[Equation]:
    """L6."""
    one, two = known(trial.layer.info.takes), known(trial.layer.info.gives)
    whole: AnyLayer = wire("Id", {}, (one, two), (one, two), lambda x: x, lambda dy: dy)
    yield equal((), "Id⊗Id", Both(identity(one), identity(two)), (), "Id", whole, ())


def interchange(trial: Trial) -> Iterator[Equation]:
    """L7."""
    f = trial.layer
    g, h = after(f.info.gives, trial.generator(1)), before(f.info.takes, trial.generator(2), f.info.input_gradient)
    layers, one, two = (f, g, h, f), Both(f >> g, h >> f), Both(f, h) >> Both(g, f)
    yield equal(layers, "(f;g)⊗(h;k)", one, (0, 1, 2, 3), "(f⊗h);(g⊗k)", two, (0, 2, 1, 3))


def both_associative(trial: Trial) -> Iterator[Equation]:
    """L8, and that Assoc is the re-bracketing."""
    f, order = trial.layer, (0, 1, 2)
    g, h = after(f.info.takes, trial.generator(1)), after(f.info.gives, trial.generator(2))
    left, right = Both(Both(f, g), h), Both(f, Both(g, h))
    yield equal((f, g, h), "(f⊗g)⊗h", left, order, "f⊗(g⊗h)", right, order)
    specs = [(mat_or_none(layer.info.takes), mat_or_none(layer.info.gives)) for layer in (f, g, h)]
    if all(one is not None and two is not None for one, two in specs):
        (a, _), (b, _), (c, _) = specs
        if a and b and c and a.shape[0] == b.shape[0] == c.shape[0] and f.info.input_gradient:
            there: AnyLayer = _assoc(a.shape[0], a.shape[1], b.shape[1], c.shape[1])
            yield equal((f, g, h), "(f⊗g)⊗h", left, order, "assoc;(f⊗(g⊗h))", there >> right, order)


def swapped_twice(trial: Trial) -> Iterator[Equation]:
    """L9."""
    one, two = known(trial.layer.info.takes), known(trial.layer.info.gives)
    both = Both(identity(one), identity(two))
    yield equal((), "σ;σ", swapping(one, two) >> swapping(two, one), (), "Id", both, ())


def swap_natural(trial: Trial) -> Iterator[Equation]:
    """L10."""
    f = trial.layer
    g = after(f.info.gives, trial.generator(1))
    one = Both(f, g) >> swapping(known(f.info.gives), known(g.info.gives))
    two = swapping(known(f.info.takes), known(g.info.takes)) >> Both(g, f)
    yield equal((f, g), "(f⊗g);σ", one, (0, 1), "σ;(g⊗f)", two, (1, 0))


def forked(trial: Trial) -> Iterator[Equation]:
    """L11."""
    f = trial.layer
    g = after(f.info.takes, trial.generator(1))
    two = copying(known(f.info.takes)) >> Both(f, g)
    yield equal((f, g), "Fork(f, g)", Fork(f, g), (0, 1), "Δ;(f⊗g)", two, (0, 1))


def copied_after(trial: Trial) -> Iterator[Equation]:
    """L16; the gradients of the two uses are added in another order."""
    f = trial.layer
    one, two = f >> copying(known(f.info.gives)), copying(known(f.info.takes)) >> Both(f, f)
    yield equal((f,), "f;Δ", one, (0,), "Δ;(f⊗f)", two, (0, 0), close=True)


def permuted(trial: Trial) -> Iterator[Equation]:
    """L22."""
    f = trial.layer
    g = after(f.info.gives, trial.generator(1))
    one, two = known(f.info.takes), known(g.info.takes)
    round_trip = swapping(one, two) >> Both(g, f) >> swapping(known(g.info.gives), known(f.info.gives))
    yield equal((f, g), "f⊗g", Both(f, g), (0, 1), "σ;(g⊗f);σ", round_trip, (1, 0))


SIDEWISE: Final[tuple[Law, ...]] = (
    composition("L6", "identities side by side are the identity", "Id⊗Id ≡ Id", both_identities, ("Both", "Id")),
    composition("L7", "interchange", "(f;g)⊗(h;k) ≡ (f⊗h);(g⊗k)", interchange, ("Both", "Seq")),
    composition(
        "L8",
        "side by side is associative",
        "(f⊗g)⊗h ≡ f⊗(g⊗h), and Assoc is the re-bracketing",
        both_associative,
        ("Both", "Assoc"),
    ),
    composition("L9", "swapping twice is the identity", "σ;σ ≡ Id", swapped_twice, ("Swap",)),
    composition("L10", "a swap passes through", "(f⊗g);σ ≡ σ;(g⊗f)", swap_natural, ("Both", "Swap")),
    composition("L11", "a fork is a copy, then both", "Fork(f, g) ≡ Δ;(f⊗g)", forked, ("Fork", "Copy")),
    reassociating(
        "L16", "a copy passes through", "f;Δ ≡ Δ;(f⊗f) where the parameters of f are tied", copied_after, ("Copy",)
    ),
    composition(
        "L22",
        "permuted parts give permuted gradients",
        "f⊗g ≡ σ;(g⊗f);σ, with the gradients of f and g in the other order",
        permuted,
        ("Both", "Swap"),
    ),
)
