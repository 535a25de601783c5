"""Where a proof takes place: opaque layers, the combinators, and what a composite of them does, as named values."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeAlias

from bendtorch.errors import BendError
from bendtorch.laws.proofs.opaque import Held, opaque, zero
from bendtorch.laws.proofs.terms import ZERO, Sum, Value, one
from bendtorch.laws.proofs.world import Space, World
from bendtorch.laws.trial import AnyLayer
from bendtorch.layer.chain import chain
from bendtorch.layer.variant import Mode
from bendtorch.shapes.spec import Spec

Names: TypeAlias = str | tuple["Names", ...]
"""Whose parameters stand where in a nest: `(("f", "g"), ())`. `f#2` is another set of parameters for the layer f."""

Side: TypeAlias = dict[str, Value]
"""One side of a law: named values."""


def shipped() -> Any:
    """The package's combinators, by name; `chain` is what `>>` calls."""
    combine = importlib.import_module("bendtorch.combine")
    return SimpleNamespace(**{name: getattr(combine, name) for name in combine.__all__}, chain=chain)


class ImpureError(BendError):
    """A pass that changes what it was given."""


class Setting:
    """The layers of one proof. `of` has the combinators by name: the shipped ones, but in tests of the proofs."""

    def __init__(self, of: Any = None) -> None:
        self.of: Any = shipped() if of is None else of
        self.world = World()
        self.layers: dict[str, AnyLayer] = {}
        self.in_place = True  # whether the steps of layers made from here on are in place

    def space(self, name: str) -> Space:
        """The space of this name: one shape of matrices."""
        return self.world.space(name)

    def spec(self, spaces: str) -> Spec:
        """The spec of one space (`"X"`), or of a pair of them (`"X Y"`)."""
        specs = tuple(self.space(name).spec for name in spaces.split())
        return specs[0] if len(specs) == 1 else specs

    def layer(
        self, name: str, takes: str, gives: str, *, linear: bool = False, vary: Callable[[Mode], AnyLayer] | None = None
    ) -> AnyLayer:
        """An opaque layer from one space to another."""
        places = self.spec(takes), self.spec(gives)
        made = opaque(self.world, name, *places, linear=linear, in_place=self.in_place, vary=vary)
        self.layers[name] = made
        return made

    def zero(self, name: str, space: str) -> AnyLayer:
        """The layer that gives zero."""
        self.layers[name] = zero(self.world, name, self.spec(space))
        return self.layers[name]

    def wire(self, name: str, *spaces: str) -> AnyLayer:
        """A wiring layer or a sum on spaces: `wire("Swap", "X", "Y")`."""
        rows = self.space(spaces[0]).sizes[0]
        made: AnyLayer = getattr(self.of, name)(rows, *(self.space(space).columns for space in spaces))
        return made

    def row(self, first: AnyLayer, *rest: AnyLayer) -> AnyLayer:
        """Layers in a row, nested to the left, as `>>` nests them."""
        for layer in rest:
            first = self.of.chain(first, layer)
        return first

    def unknown(self, spec: Spec, name: str) -> Any:
        """Unknown arrays of a spec: `x`, or `x.0`, `x.1` and so on, however they are nested."""
        count = len(list(_leaves(spec)))
        names = iter([name] if count == 1 else [f"{name}.{i}" for i in range(count)])

        def made(spec: Spec) -> Any:
            return tuple(map(made, spec)) if isinstance(spec, tuple) else self.world.array(spec, one(next(names)))

        return made(spec)

    def passes(self, layer: AnyLayer, names: Names) -> Side:
        """Both passes on unknown parameters, an unknown input, cotangent and gradient, as named values.

        Tuples of one and empty ones are left out, and saved values are in no order: laws hold up to re-bracketing.
        Raises `ImpureError` when a pass changes what it was given.
        """
        takes, gives = layer.info.takes, layer.info.gives
        assert takes is not None
        assert gives is not None
        p, x, dy = held(names, "p"), self.unknown(takes, "x"), self.unknown(gives, "dy")
        forward = layer.fwd(p, x)
        kept = self.values((p, x, dy, forward.s))
        backward = layer.bwd(p, forward.s, dy, _gradients(names, dict.fromkeys(names_in(names), 0)))
        if self.values((p, x, dy, forward.s)) != kept or not _begins(kept, held(names, "p")):
            raise ImpureError(f"{layer}: a pass changed p, x, s or dy")
        side: Side = {
            "y": bare(self.world.read(forward.y)),
            "dx": bare(self.world.read(backward.dx)),
            "what is saved": tuple(sorted(self.values(forward.s), key=str)),
        }
        for name, value in by_name(names, backward.g):
            side[f"the gradient of {name}"] = value + _sum(side.get(f"the gradient of {name}", ZERO))
        return side

    def values(self, nest: Any) -> list[Value]:
        """What stands in a nest: what layers hold, and arrays."""
        return [part.value if isinstance(part, Held) else self.world.read(part) for part in _parts(nest)]


def held(names: Names, what: str) -> Any:
    """A nest of parameters, gradients or moments: unknowns `p_f`, `p_g`."""
    return tuple(held(name, what) for name in names) if isinstance(names, tuple) else Held(one(f"{what}_{names}"))


def names_in(names: Names) -> Iterator[str]:
    """The names of a nest, in order."""
    if isinstance(names, str):
        yield names
    else:
        for part in names:
            yield from names_in(part)


def by_name(names: Names, nest: Any) -> Iterator[tuple[str, Sum]]:
    """The values of a nest of what layers hold, each with its layer's name."""
    if isinstance(names, str):
        assert isinstance(nest, Held), f"expected the parameters of {names}, got {nest!r}"
        yield names, nest.value
    else:
        assert isinstance(nest, tuple), f"expected a tuple for {names}, got {nest!r}"
        for name, part in zip(names, nest, strict=True):
            yield from by_name(name, part)


def bare(value: Value) -> Value:
    """A value without empty tuples and tuples of one."""
    if isinstance(value, Sum):
        return value
    parts = tuple(part for part in map(bare, value) if part != ())
    return parts[0] if len(parts) == 1 else parts


def _gradients(names: Names, used: dict[str, int]) -> Any:
    """Gradients to add to: unknown ones, but zero from a name's second use on, for theirs are summed."""
    if isinstance(names, tuple):
        return tuple(_gradients(name, used) for name in names)
    used[names] += 1
    return Held(one(f"g_{names}") if used[names] == 1 else ZERO)


def _parts(nest: Any) -> Iterator[Any]:
    if isinstance(nest, tuple):
        for part in nest:
            yield from _parts(part)
    else:
        yield nest


def _leaves(spec: Spec) -> Iterator[Spec]:
    if isinstance(spec, tuple):
        for part in spec:
            yield from _leaves(part)
    else:
        yield spec


def _begins(values: list[Value], p: Any) -> bool:
    """Whether parameters are what they were."""
    own = [part.value for part in _parts(p)]
    return values[: len(own)] == own


def _sum(value: Value) -> Sum:
    assert isinstance(value, Sum)
    return value
