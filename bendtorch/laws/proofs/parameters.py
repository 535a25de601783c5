"""Parameters of composites: L38 and L45 (steps and their state), L42, L47, L48 (their numbers)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.laws.proofs.opaque import CELLS, Held
from bendtorch.laws.proofs.setting import Names, Setting, by_name, held, names_in
from bendtorch.laws.proofs.terms import Sum, Value, one
from bendtorch.laws.proofs.theorem import Sides, Theorem
from bendtorch.laws.trial import AnyLayer
from bendtorch.optim.at import GroupedAt, SGDAt
from bendtorch.optim.state import (
    NoMoments,
    OneMoment,
    OptState,
    PackedMoments,
    TwoMoments,
    join_states,
    split_state,
)

BEFORE: Final = 3  # numbers in the flat array before those of the layer


@dataclass(frozen=True)
class Composite:
    """A composite of opaque layers and whose parameters it has, in the order of its dump."""

    what: str
    layer: AnyLayer
    names: Names


def _composites(s: Setting) -> Iterator[Composite]:
    """Each combinator, on layers of its own."""
    f, g, h, of = s.layer("f", "X", "X"), s.layer("g", "X", "X"), s.layer("h", "X", "X"), s.of
    yield Composite("f;g", s.row(f, g), ("f", "g"))
    yield Composite("(f;g);h", s.row(s.row(f, g), h), (("f", "g"), "h"))
    yield Composite("Seq(f, g, h)", of.Seq(f, g, h), ("f", ("g", "h")))
    yield Composite("f⊗g", of.Both(f, g), ("f", "g"))
    yield Composite("f⊗(g⊗h)", of.Both(f, of.Both(g, h)), ("f", ("g", "h")))
    yield Composite("Fork(f, g)", of.Fork(f, g), ("f", "g"))
    yield Composite("Residual(f)", of.Residual(f), (((), "f"), ()))
    yield Composite("Tie(f, g, h)", of.Tie(f, g, h), ("f", "g"))
    yield Composite("Repeat(1, f)", of.Repeat(1, f), ("f",))
    yield Composite("Repeat(3, f)", of.Repeat(3, f), ("f#0", "f#1", "f#2"))
    yield Composite("Repeat(2, f;g)", of.Repeat(2, s.row(f, g)), (("f#0", "g#0"), ("f#1", "g#1")))
    yield Composite("Fork(Tie(f, g, h), f)", of.Fork(of.Tie(f, g, h), f), (("f#0", "g"), "f#1"))


def _owner(s: Setting, name: str) -> AnyLayer:
    return s.layers[name.split("#", maxsplit=1)[0]]


# Steps.


def _packed(s: Setting, names: list[str], what: str) -> Any:
    """Packed moments: unknown numbers, those of each name in turn."""
    return np.array([s.world.cell(one(f"{what}_{name} {i}")) for name in names for i in range(CELLS)], np.uint16)


def _packed_state(s: Setting, names: Names) -> OptState[Any]:
    """The packed moments of some parameters, flat in the order of the dump."""
    order = list(names_in(names))
    return PackedMoments(_packed(s, order, "m"), _packed(s, order, "v"))


STATES: Final[dict[str, Callable[[Setting, Names], OptState[Any]]]] = {
    "no moments": lambda s, names: NoMoments(),
    "one moment": lambda s, names: OneMoment(held(names, "m")),
    "two moments": lambda s, names: TwoMoments(held(names, "m"), held(names, "v")),
    "packed moments": _packed_state,
}


def _after(s: Setting, layer: AnyLayer, names: Names, opt: Any, kind: str) -> dict[str, Value]:
    """What a step of a layer leaves of each of its parts: parameters, gradient, moments."""
    stepped = layer.step(opt, held(names, "p"), held(names, "g"), STATES[kind](s, names))
    order = list(names_in(names))
    side: dict[str, Value] = {}
    for what, nest in (("p", stepped.p), ("g", stepped.g), *_moments(stepped.st)):
        if isinstance(nest, np.ndarray):
            shares = np.split(nest, len(order))
            side |= {f"{what} of {name}": s.world.cells(part) for name, part in zip(order, shares, strict=True)}
        else:
            side |= {f"{what} of {name}": value for name, value in by_name(names, nest)}
    return side


def _moments(state: OptState[Any]) -> Iterator[tuple[str, Any]]:
    for slot in type(state).__slots__:
        yield slot, getattr(state, slot)


def _steps(s: Setting) -> Iterator[Sides]:
    for s.in_place in (True, False):
        yield from _steps_of_each(s)


def _steps_of_each(s: Setting) -> Iterator[Sides]:
    for composite in _composites(s):
        order = list(names_in(composite.names))
        alone, apart = SGDAt(1.0), [SGDAt(float(i)) for i in range(len(order))]
        grouped = GroupedAt(tuple(apart), tuple(range(len(order))))
        for kind in STATES:
            for opt, opts in ((alone, [alone] * len(order)), (grouped, apart)):
                wanted: dict[str, Value] = {}
                for name, own in zip(order, opts, strict=True):
                    wanted |= _after(s, _owner(s, name), name, own, kind)
                got = _after(s, composite.layer, composite.names, opt, kind)
                groups = " in groups" if opt is grouped else ""
                yield f"a step of {composite.what}{groups} and those of its parts, {kind}", got, wanted


def _joined(s: Setting) -> Iterator[Sides]:
    for kind, make in STATES.items():
        for count in range(1, 5):
            names: Names = tuple(f"f{i}" for i in range(count))
            state, cells = make(s, names), [CELLS] * count
            shares = split_state(state, cells)
            before, after = dict(_moments(state)), dict(_moments(join_states(shares)))
            yield f"join(split(s)) of {count} and s, {kind}", _values(s, names, after), _values(s, names, before)
            for name, part in zip(names_in(names), shares, strict=True):
                own = dict(_moments(make(s, name)))
                yield (
                    f"a share and the state of a part, {kind}",
                    _values(s, name, dict(_moments(part))),
                    _values(s, name, own),
                )


def _values(s: Setting, names: Names, moments: dict[str, Any]) -> dict[str, Value]:
    return {
        slot: s.world.cells(nest) if isinstance(nest, np.ndarray) else tuple(value for _, value in by_name(names, nest))
        for slot, nest in moments.items()
    }


# Numbers.


def _concatenated(s: Setting) -> Iterator[Sides]:
    for composite in _composites(s):
        layer, names, p = composite.layer, composite.names, held(composite.names, "p")
        wanted = [number for name in names_in(names) for number in s.world.cells(_owner(s, name).dump(held(name, "p")))]
        room = np.zeros(BEFORE + len(wanted), np.float32)
        end = layer.store(p, room, BEFORE)
        loaded = layer.zeros()
        stops = end, layer.load(loaded, room, BEFORE)
        flat = tuple(wanted)
        nothing = s.world.cells(room[:BEFORE])
        got: dict[str, Value] = {
            "dump": s.world.cells(layer.dump(p)),
            "store": s.world.cells(room),
            "the next offsets": tuple(one(str(stop)) for stop in stops),
        }
        yield (
            f"dump and store of {composite.what}, and the parts one after another",
            got,
            {"dump": flat, "store": (*nothing, *flat), "the next offsets": (one(str(len(room))),) * 2},
        )
        yield f"load of {composite.what}, and each part's", *_each(names, loaded, p)
        if layer.view is not None:
            yield f"a view of {composite.what}, and each part's", *_each(names, layer.view(room, BEFORE), p)
        if layer.matrices is not None:
            seen = tuple(number for array in layer.matrices(p) for number in s.world.cells(array.reshape(-1)))
            yield f"the matrices of {composite.what}, and each part's", {"numbers": seen}, {"numbers": flat}


def _each(names: Names, got: Any, wanted: Any) -> tuple[dict[str, Value], dict[str, Value]]:
    return dict(by_name(names, got)), dict(by_name(names, wanted))


def _counted(s: Setting) -> Iterator[Sides]:
    for composite in _composites(s):
        parts = list(names_in(composite.names))
        leaves = sum(leaf.cells for leaf in composite.layer.leaves)
        got = {"count": one(str(composite.layer.count())), "the numbers of the leaves": one(str(leaves))}
        whole = one(str(sum(_owner(s, name).count() for name in parts)))
        yield f"count of {composite.what} and the sum over its parts", got, dict.fromkeys(got, whole)


def _tied_once(s: Setting) -> Iterator[Sides]:
    f, g, h = s.layer("f", "X", "X"), s.layer("g", "X", "X"), s.layer("h", "X", "X")
    p, g_ = Held(one("p")), Held(one("g"))
    s.of.Tie(f, g, h).step(SGDAt(1.0), (p, Held(one("q"))), (g_, Held(one("g_q"))), NoMoments())
    once, gradient = Held(one("p")), Held(one("g"))
    f.step(SGDAt(1.0), once, gradient, NoMoments())
    yield "tied parameters after a step, and stepped once", _both(p, g_), _both(once, gradient)


def _both(p: Held, g: Held) -> dict[str, Sum]:
    return {"p": p.value, "g": g.value}


EVERY: Final = "all layers in each combinator"

THEOREMS: Final = (
    Theorem("L38", "a step of a composite is the steps of its parts", _steps, EVERY),
    Theorem("L42", "tied parameters step once", _tied_once),
    Theorem("L45", "join(split(state)) = state, and each share is the part's", _joined, "tuples of 1 to 4 parts"),
    Theorem(
        "L47", "dump is the concatenation in order; load, store, views agree", _concatenated, EVERY, "L46 of the parts"
    ),
    Theorem("L48", "count is additive, tied parameters count once", _counted, EVERY),
)
