"""L12 to L15, L17 and L18: copies, drops, sums and products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bendtorch.combine.both import Both
from bendtorch.combine.fork import Fork
from bendtorch.combine.wiring import Drop, wire
from bendtorch.laws.equation import Equation, composition, equal, reassociating
from bendtorch.laws.law import Law, NotHereError
from bendtorch.laws.neighbours import copying, identity, mat_of, mat_or_none, swapping
from bendtorch.laws.trial import AnyLayer, Trial
from bendtorch.layer import Bwd, Fwd
from bendtorch.shapes.spec import ArraySpec

# Sizes are known only at run time.
_drop: Any = Drop


def copy_associative(trial: Trial) -> Iterator[Equation]:
    """L12; three gradients are added in two orders."""
    spec = mat_of(trial)
    copy, same = copying(spec), identity(spec)
    one, two = copy >> Both(copy, same), copy >> Both(same, copy)
    yield equal((), "Δ;(Δ⊗Id)", one, (), "Δ;(Id⊗Δ)", two, (), close=True)


def copy_swapped(trial: Trial) -> Iterator[Equation]:
    """L13."""
    spec = mat_of(trial)
    yield equal((), "Δ;σ", copying(spec) >> swapping(spec, spec), (), "Δ", copying(spec), ())


def copy_dropped(trial: Trial) -> Iterator[Equation]:
    """L14."""
    spec = mat_of(trial)
    drop: AnyLayer = _drop(*spec.shape)
    one = copying(spec) >> Both(identity(spec), drop)
    yield equal((), "Δ;(Id⊗!)", one, (), "Id", identity(spec), (), close=True)  # a zero is added: -0 becomes +0


def copy_and_drop_backward(trial: Trial) -> Iterator[Equation]:
    """L15."""
    spec = mat_of(trial)
    drop: AnyLayer = _drop(*spec.shape)
    zero = np.zeros(spec.shape, np.float32)
    adds = wire("Copy", {}, spec, (spec, spec), lambda x: (x, x), lambda dy: dy[0] + dy[1])
    nothing: AnyLayer = wire("Drop", {}, spec, (), lambda x: (), lambda dy: zero)
    yield equal((), "Δ", copying(spec), (), "x ↦ (x, x), dx = dy1 + dy2", adds, ())
    yield equal((), "!", drop, (), "x ↦ (), dx = 0", nothing, ())


def _of_pairs(trial: Trial) -> tuple[ArraySpec, AnyLayer]:
    """The matrix that the layer gives, of two like which it takes a pair."""
    spec = mat_or_none(trial.layer.info.gives)
    if spec is None or trial.layer.info.takes != (spec, spec):
        raise NotHereError("it does not take a pair of matrices and give one like them")
    return spec, trial.layer


def sums(trial: Trial) -> Iterator[Equation]:
    """L17."""
    spec, add = _of_pairs(trial)
    same, zero = identity(spec), np.zeros(spec.shape, np.float32)
    nothing = wire("Zero", {}, spec, spec, lambda x: zero, lambda dy: zero)
    hand = wire("Sum", {}, (spec, spec), spec, lambda x: x[0] + x[1], lambda dy: (dy, dy))
    yield equal((), "Add2", add, (), "a + b, dx = (dy, dy)", hand, ())
    yield equal((), "σ;Add2", swapping(spec, spec) >> add, (), "Add2", add, ())
    one, two = Both(add, same) >> add, Both(same, add) >> add
    yield equal((), "(a + b) + c", one, (), "a + (b + c)", two, (), close=True)
    yield equal((), "Fork(Id, 0);Add2", Fork(same, nothing) >> add, (), "Id", same, (), close=True)


def products(trial: Trial) -> Iterator[Equation]:
    """L18."""
    _spec, multiply = _of_pairs(trial)

    def fwd(p: Any, x: Any) -> Any:
        return Fwd(x[0] * x[1], x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        return Bwd((dy * s[1], dy * s[0]), g)

    hand = replace(multiply, fwd=fwd, bwd=bwd)
    yield equal((), "Mul2", multiply, (), "a·b, dx = (dy·b, dy·a)", hand, ())


WIRING: Final[tuple[Law, ...]] = (
    reassociating("L12", "copying is associative", "Δ;(Δ⊗Id) ≡ Δ;(Id⊗Δ)", copy_associative, ("Copy", "Assoc")),
    composition("L13", "copies may be swapped", "Δ;σ ≡ Δ", copy_swapped, ("Copy", "Swap")),
    reassociating("L14", "a copy that is dropped is the identity", "Δ;(Id⊗!) ≡ Id", copy_dropped, ("Copy", "Drop")),
    composition(
        "L15",
        "the backward pass of a copy adds, of a drop is zero",
        "B of Δ is dy1 + dy2, B of ! is 0",
        copy_and_drop_backward,
        ("Copy", "Drop", "Fork"),
    ),
)
ARITHMETIC: Final[tuple[Law, ...]] = (
    reassociating("L17", "the sum", "a + b with dx = (dy, dy); associative, commutative, with unit 0", sums, ("Add2",)),
    composition("L18", "the product", "a·b with dx = (dy·b, dy·a)", products, ("Mul2",)),
)
